#!/bin/sh
# Makes the pictures of README.md: docs/pictures.sh [TRITCC]. Each is what the tool printed or drew.
set -e
cd "$(dirname "$0")"
tritcc=${1:-../tritcc}
"$tritcc" -fdiagnostics-color=always -emit=ttir=- wrong.tri -sig '*fp32, *fp32, i32, 1024' 2>&1 >/dev/null |
    awk -f terminal.awk >error.svg || true
"$tritcc" -arch=sm_80 -num-warps=1 -sig '*fp16:16, *fp16:16, *fp32:16' -emit=svg=layout.svg --at=11 product.tri
