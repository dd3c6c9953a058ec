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

# As long, with what makes stages long: products, reductions, branches.
awk 'BEGIN {
    print "import triton\nimport triton.language as tl\n\n\n@triton.jit"
    print "def m(p, q, w, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):"
    print "    rm = tl.program_id(0) * M + tl.arange(0, M)\n    rn = tl.arange(0, N)\n    rk = tl.arange(0, K)\n    mask = rm < n"
    print "    acc = tl.zeros((M, N), tl.float32)\n    s = tl.zeros((M,), tl.float32)"
    for (i = 0; i < 200; i++) {
        printf "    a%d = tl.load(p + rm[:, None] * K + rk[None, :] + %d * n, mask=mask[:, None], other=0.0)\n", i, i
        printf "    b%d = tl.load(q + rk[:, None] * N + rn[None, :] + %d * n)\n", i, i
        if (i % 6 == 0)
            printf "    acc = tl.dot(a%d, b%d, acc)\n", i, i
        printf "    m%d = tl.max(a%d, axis=1).to(tl.float32)\n    e%d = tl.exp(a%d.to(tl.float32) - m%d[:, None])\n", i, i, i, i, i
        printf "    s += tl.sum(e%d, axis=1) + %d.0\n    if n > %d:\n        s = s * 1.25\n    else:\n        s = s + m%d\n", i, i, i, i
        printf "    tl.store(w + rm + %d * n, s, mask=mask)\n", i
    }
    print "    tl.store(p + rm[:, None] * N + rn[None, :], (acc + s[:, None]).to(tl.float16), mask=mask[:, None])"
}' >mixed.tri
for arch in sm_80 gfx942 bmg x86-64-v3 linalg; do
    "$tritcc" mixed.tri -w -sig '*fp16:16, *fp16:16, *fp32:16, i32, 32, 32, 32' -arch=$arch -emit=html=mixed-$arch.html
done

in_time() {
    timeout 900 "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" "$@" 2>/dev/null
}
browse() { in_time --virtual-time-budget=20000 "$@"; }

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
count() { # count NAME: of the lines in `results`
    [ -s results ] || echo "not ok the test did not run" >results
    sed "s|^|$1: |" results | grep ': not ok' || true
    failed=$((failed + $(grep -c '^not ok' results || true)))
    passed=$((passed + $(grep -c '^ok' results || true)))
}
# On the clock: the best of three, for others use the machine, too.
clock() { # clock PAGE
    inject "$1.html" time_test.js >"$1.test.html"
    for _ in 1 2 3; do
        in_time --window-size=1280,920 --dump-dom "file://$PWD/$1.test.html" | grep -E '^(not )?ok ' >results || true
        [ -s results ] && ! grep -q '^not ok' results && break
    done
    sed "s|^ok|$1:|" results
    count "$1"
    rm -f "$1.test.html"
}
run() { # run SCRIPT PAGE WIDTH [OPTION...]
    local script=$1 page=$2 width=$3
    shift 3
    inject "$page.html" "$script" >"$page.test.html"
    frame "$PWD/$page.test.html" "$width" >frame.html
    browse --window-size="$((width < 500 ? 500 : width)),920" --allow-file-access-from-files --disable-web-security "$@" \
        --dump-dom "file://$PWD/frame.html" | sed -n '/<pre id="results">/,/<\/pre>/p' | grep -E '^(not )?ok ' >results || true
    count "$page $width"
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
for page in long mixed-sm_80 mixed-gfx942 mixed-bmg mixed-x86-64-v3 mixed-linalg; do
    clock "$page"
done
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
