#!/bin/bash
# Tests the page of -emit=html and the manual's web pages (`make html`) in a headless Chromium: tests/page/check.sh [FOLDER].
# FOLDER (here: page) gets the pages and screenshots at 360, 1280 and 2560 pixels, light and dark. Needs Debian's chromium, or another named in CHROMIUM; with
# AXE=axe.min.js (axe-core; the package axe-playwright-python of PyPI has it) accessibility is checked, too.
set -eu
src=$(cd "${0%/*}/../.." && pwd)
tritcc=$(realpath "${TRITCC:-${BUILDDIR:-.}/tritcc}")
out=${1:-page}
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || {
    echo "check-page needs a Chromium: install Debian's package 'chromium', or give CHROMIUM=PROGRAM" >&2
    exit 1
}
mkdir -p "$out"
cd "$out"
cp "$src/examples/vadd/vadd.tri" .
"$tritcc" vadd.tri -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=sm_90a,gfx942,x86-64-v3,spirv64 -emit=html
# A kernel of 2,000 lines that does what the test looks for.
awk 'BEGIN {
    print "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, q, n, B: tl.constexpr):"
    print "    offsets = tl.program_id(0) * B + tl.arange(0, B)\n    mask = offsets < n"
    print "    x = tl.load(p + offsets, mask=mask)\n    y = tl.load(q + offsets, mask=mask)\n    output = x + y"
    for (i = 0; i < 1990; i++)
        printf "    output = output * %d.5 + x\n", i
    print "    tl.store(p + offsets, output, mask=mask)"
}' >long.tri
"$tritcc" long.tri -sig '*fp32:16, *fp32:16, i32, 256' -arch=sm_80 -emit=html

browse() {
    timeout 120 "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" \
        --virtual-time-budget=20000 "$@" 2>/dev/null
}

# inject PAGE SCRIPT: the page with a test behind its own script.
inject() {
    sed '/^<\/body>/,$d' "$1"
    [ -z "${AXE-}" ] || { echo '<script>' && cat "$AXE" && echo '</script>'; }
    echo '<script>' && cat "$src/tests/page/$2" && echo '</script></body></html>'
}

# A window is at least 500 pixels wide: the page is tested in a frame of the width, whose results are copied out of it.
frame() { # frame PAGE WIDTH
    printf '<!doctype html><body><iframe src="%s" style="border:0;width:%spx;height:900px"></iframe><script>\n' "$1" "$2"
    printf '(function wait() { const d = frames[0].document.getElementById("results");\n'
    printf 'd ? document.body.append(d.cloneNode(true)) : setTimeout(wait, 50); })();</script></body>\n'
}

failed=0 passed=0
run() { # run SCRIPT PAGE WIDTH [OPTION...]
    local script=$1 page=$2 width=$3
    shift 3
    inject "$page.html" "$script" >"$page.test.html"
    frame "$PWD/$page.test.html" "$width" >frame.html
    browse --window-size="$((width < 500 ? 500 : width)),920" --allow-file-access-from-files --disable-web-security "$@" \
        --dump-dom "file://$PWD/frame.html" | sed -n '/<pre id="results">/,/<\/pre>/p' | grep -E '^(not )?ok ' >results || true
    [ -s results ] || echo "not ok $page at $width: the test did not run" >results
    sed "s|^|$page $width: |" results | grep ': not ok' || true
    failed=$((failed + $(grep -c '^not ok' results || true)))
    passed=$((passed + $(grep -c '^ok' results || true)))
    rm -f "$page.test.html"
}
shot() { # shot PAGE WIDTH NAME [OPTION...]
    browse --window-size="$2,$(($2 < 700 ? 760 : 900))" --screenshot="$3.png" "${@:4}" "file://$PWD/$1.html" >/dev/null
}
dark=--blink-settings=preferredColorScheme=0
for width in 360 500 1280; do
    run page_test.js vadd "$width"
done
run page_test.js vadd 2560 "$dark"
run page_test.js long 1280
for width in 360 1280 2560; do
    shot vadd "$width" "vadd-$width"
done
shot vadd 1280 vadd-dark "$dark"

rm -rf manual
make -s -C "${BUILDDIR:-$src}" html >/dev/null
cp -r "${BUILDDIR:-$src}/html" manual
for page in manual/*.html; do
    page=${page%.html}
    run manual_test.js "$page" 360
    run manual_test.js "$page" 1280
    run manual_test.js "$page" 2560 "$dark"
done
for width in 360 1280 2560; do
    shot manual/index "$width" "manual-index-$width"
    shot manual/tritcc.1 "$width" "manual-tritcc-$width"
done
rm -rf profile results frame.html
echo "$passed passed, $failed failed; screenshots are in $PWD"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
