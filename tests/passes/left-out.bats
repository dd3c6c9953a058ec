#!/usr/bin/env bats
# Each target's pipeline without each of its passes in turn: kernels that need most of them compute what
# they do on the host, whose way has few of these passes, bit for bit: their sums are exact in any order.
# Where leaving a pass out changes no code, there is nothing to run.

load ../helpers
load pipelines

: "${TRITRUN:=$BUILDDIR/tritrun}"

# Without these, code for GPUs cannot be made, or waits for nothing; differential.bats has their rows.
needed=' convert-triton-to-tritongpu rewrite-tensor-descriptor-to-pointer optimize-descriptor-encoding tma-lowering
 allocate-global-scratch allocate-shared-memory membar '
needed=${needed//$'\n'/}

# FILE KERNEL SIGNATURE RESULT ARGUMENT...
kernels() {
    cat <<'ROWS'
differential.tri|product|*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 64, 64, 32, 'tf32', True|c|randint:f16:64x128:seed=1,low=-9,high=9 randint:f16:64x128:seed=2,low=-9,high=9 c=zeros:f32:64x64 128 128 128 64
differential.tri|chained|*fp16:16, *fp16:16, *fp32:16, i32:16, 64, True|c|randint:f16:64x64:seed=1,low=-2,high=2 randint:f16:64x64:seed=2,low=-2,high=2 c=zeros:f32:64x64 64
differential.tri|small|*fp32:16, *fp32:16, i32, 128|y|randint:f32:128:seed=1,low=-9,high=9 y=zeros:f32:128 7
execute.tri|row_sums|*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 32, 64|y|randint:f16:32x256:seed=1,low=-9,high=9 randint:f16:256:seed=2,low=-9,high=9 y=zeros:f32:32 256 256
execute.tri|flattened|*fp32:16, *fp32:16, i32, i32, 128|y|randint:f32:5x128:seed=1,low=-9,high=9 y=zeros:f32:8x128 7 5
execute.tri|descriptor|*fp32:16, *fp32:16, i32, i32, 16, 64|y|randint:f32:24x64:seed=1,low=-9,high=9 y=zeros:f32:24x64 24 64
ROWS
}

# In the folder of the kernel, whose other fields the caller has read.
leave_out() {
    local pass ran=0
    pipeline_of "$arch" >normal
    make_raw "$SRCDIR/tests/passes/$file" "$kernel" "$signature"
    "$TRITCC" -passes= -k "$kernel" -sig "$signature" -arch=native "$SRCDIR/tests/passes/$file" -o host.ttir
    run_on native host.ttir "$result" host "${arguments[@]}" && run_passes normal with.ttgir || return 1
    run_on "sim:$arch" with.ttgir "$result" with "${arguments[@]}" && cmp with.npy host.npy || return 1
    for pass in $(sed 's/{.*//' normal | sort -u); do
        [[ $needed != *" $pass "* ]] || continue
        grep -vE "^$pass(\{|\$)" normal >other
        run_passes other other.ttgir || return 1
        ! cmp -s with.ttgir other.ttgir || continue
        echo "$kernel without $pass"
        run_on "sim:$arch" other.ttgir "$result" other "${arguments[@]}" && cmp other.npy host.npy || return 1
        ran=$((ran + 1))
    done
    echo "$arch: $kernel: $ran passes matter"
    [ "$ran" -ge 3 ]
}

leave_out_everywhere() {
    local arch=$1 file kernel signature result arguments failed=
    while IFS='|' read -r file kernel signature result arguments; do
        read -ra arguments <<<"$arguments"
        mkdir "$kernel"
        cd "$kernel" && { leave_out || failed+=" $kernel"; }
        cd ..
    done < <(kernels)
    echo "failed:$failed"
    [ -z "$failed" ]
}

@test "sm_80 without each pass" { leave_out_everywhere sm_80; }
@test "sm_90a without each pass" { leave_out_everywhere sm_90a; }
@test "spirv64 without each pass" { leave_out_everywhere spirv64; }
