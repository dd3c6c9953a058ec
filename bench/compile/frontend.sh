#!/bin/bash
# Times the front end alone (source to verified unoptimised ttir), beside Triton's ast_to_ttir when a python with it is
# named: bench/compile/frontend.sh BUILDDIR [PYTHON [TUTORIALS]]. Both run in one warm process; the median of RUNS counts.
set -eu
build=$(cd "${1:?BUILDDIR}" && pwd)
python=${2-} tutorials=${3-}
source=$(cd "$(dirname "$0")/../.." && pwd)
runs=${RUNS:-101}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C "$build" bench/compile/frontend

row() { # NAME FILE SIG
    local median least first
    read -r median least first < <("$build/bench/compile/frontend" "$2" "$3" "$runs")
    printf '%-34s %8.2f ms (least %.2f, first %.2f)\n' "tritcc $1" "$(bc -l <<<"$median / 1000")" "$(bc -l <<<"$least / 1000")" "$(bc -l <<<"$first / 1000")"
}

row vadd "$source/examples/vadd/vadd.tri" '*fp32:16, *fp32:16, *fp32:16, i32, 1024'
row softmax "$source/examples/softmax/softmax.tri" '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'
row layernorm "$source/examples/layernorm/layernorm.tri" '*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024'
if [ -n "$tutorials" ]; then
    row attention "$tutorials/06-fused-attention.py" "_attn_fwd(sm_scale=fp32, M=*fp32:16, Z=i32, H=i32, desc_q=*fp16:16, desc_k=*fp16:16, \
desc_v=*fp16:16, desc_o=*fp16:16, N_CTX=i32:16, HEAD_DIM=64, BLOCK_M=128, BLOCK_N=64, FP8_OUTPUT=False, STAGE=3, warp_specialize=False, \
IS_HOPPER=False)"
fi
# Linear in the size of the source.
for lines in 1000 10000 100000; do
    { printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, n):\n    x = n\n'
      awk -v n="$lines" 'BEGIN { for (i = 0; i < n; i++) print "    x = x + " i % 7 }'; echo '    tl.store(p, x)'; } >"$work/k.tri"
    RUNS=3 runs=3 row "$lines lines" "$work/k.tri" '*i32, i32'
done
[ -z "$python" ] || "$python" "$source/bench/compile/frontend_with_triton.py" "$source/examples" "$runs" $tutorials
