#!/bin/bash
# Tests the page of -emit=html in a headless Chromium: tests/page/check.sh [FOLDER]. FOLDER (here: page) gets the pages and
# screenshots at 360, 1280 and 2560 pixels, light and dark. Needs Debian's chromium, or another named in CHROMIUM; with
# AXE=axe.min.js (axe-core) the page's accessibility is checked, too.
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

# inject PAGE: the page with the test behind its own script.
inject() {
    sed '/^<\/body>/,$d' "$1"
    [ -z "${AXE-}" ] || [ "$1" = long.html ] || { echo '<script>' && cat "$AXE" && echo '</script>'; }
    echo '<script>' && cat "$src/tests/page/page_test.js" && echo '</script></body></html>'
}

failed=0 passed=0
run() { # run PAGE WIDTH [OPTION...]
    local page=$1 width=$2
    shift 2
    inject "$page.html" >"$page.test.html"
    browse --window-size="$width,900" "$@" --dump-dom "file://$PWD/$page.test.html" |
        sed -n '/<pre id="results">/,/<\/pre>/p' | grep -E '^(not )?ok ' >results || true
    [ -s results ] || echo "not ok $page at $width: the test did not run" >results
    sed "s|^|$page $width: |" results | grep ': not ok' || true
    failed=$((failed + $(grep -c '^not ok' results || true)))
    passed=$((passed + $(grep -c '^ok' results || true)))
}
run vadd 500
run vadd 1280
run vadd 2560 --blink-settings=preferredColorScheme=0
run long 1280
for width in 360 1280 2560; do
    browse --window-size="$width,$((width < 700 ? 760 : 900))" --screenshot="vadd-$width.png" "file://$PWD/vadd.html" >/dev/null
done
browse --window-size=1280,900 --blink-settings=preferredColorScheme=0 --screenshot=vadd-dark.png "file://$PWD/vadd.html" >/dev/null
rm -rf profile results
echo "$passed passed, $failed failed; screenshots are in $PWD"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
