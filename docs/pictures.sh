#!/bin/sh
# Makes the pictures of README.md: docs/pictures.sh [TRITCC [FOLDER]]. Each is what the tool printed or drew. That of the
# explorer's page needs a Chromium (CHROMIUM=PROGRAM names one); CHROMIUM= leaves it out.
set -e
here=$(dirname "$0")
tritcc=$(realpath "${1:-$here/../tritcc}")
out=$(realpath "${2:-$here}")
cd "$here"
"$tritcc" -fdiagnostics-color=always -emit=ttir=- wrong.tri -sig '*fp32, *fp32, i32, 1024' 2>&1 >/dev/null |
    awk -f terminal.awk >"$out/error.svg" || true
"$tritcc" -arch=sm_80 -num-warps=1 -sig '*fp16:16, *fp16:16, *fp32:16' -emit=svg="$out/layout.svg" --at=11 product.tri
[ -n "${CHROMIUM-chromium}" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ../examples/vadd/vadd.tri "$work"
(cd "$work" && "$tritcc" vadd.tri -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024' -arch=sm_90a -emit=html)
{ sed '/^<\/body>/,$d' "$work/vadd.html"; echo '<script>'; cat explorer.js; echo '</script></body></html>'; } >"$work/page.html"
"${CHROMIUM:-chromium}" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --window-size=2000,900 \
    --virtual-time-budget=5000 --dump-dom "file://$work/page.html" 2>/dev/null |
    sed -n "/<pre id=\"picture\">/,/<\\/pre>/p" | sed "1d; /<\\/pre>/,\$d" | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$out/explorer.svg"
[ -s "$out/explorer.svg" ]
