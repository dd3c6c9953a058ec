#!/usr/bin/env bats
# Each pass leaves alone what kernels compute: with it and without it, the pipeline's code gives the
# same numbers on the simulator. A pass that cannot be left out is compared with the host's way,
# which has no such pass. Each row also shows that its pass changes its kernel.

load ../helpers

: "${TRITRUN:=$BUILDDIR/tritrun}"
here=$SRCDIR/tests/passes

# PASS HOW ARCH FILE KERNEL SIGNATURE RESULT ARGUMENT...
#   HOW: without   the pipeline without the pass
#        host      the host's way
#        after:P   the pass is in no pipeline: it runs after P, and the pipeline alone is the other way
#        looks     the pass changes nothing
mm='*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, i32:16'
mm_args='randn:f16:64x128:seed=1 randn:f16:128x64:seed=2 c=zeros:f32:64x64 128 128 64 64'
rows() {
    cat <<ROWS
inline|without|sm_80|differential.tri|small|*fp32:16, *fp32:16, i32, 128|y|randn:f32:128:seed=1 y=zeros:f32:128 7
canonicalize|without|sm_80|differential.tri|small|*fp32:16, *fp32:16, i32, 128|y|randn:f32:128:seed=1 y=zeros:f32:128 7
cse|without|sm_80|differential.tri|small|*fp32:16, *fp32:16, i32, 128|y|randn:f32:128:seed=1 y=zeros:f32:128 7
sccp|without|sm_80|execute.tri|flattened|*fp32:16, *fp32:16, i32, i32, 128|y|randn:f32:5x128:seed=1 y=zeros:f32:8x128 7 5
symbol-dce|without|sm_80|unused.ttir|unused||arg0|arg0=zeros:f32:128
loop-invariant-code-motion|after:loop-unroll|sm_80|differential.tri|repeated|*fp32:16, *fp32:16, *fp32:16, i32, 128|y|randn:f32:5x128:seed=1 y=zeros:f32:128 randn:f32:128:seed=2 5
convert-scf-to-cf|after:membar|sm_80|execute.tri|branches|*fp32:16, *fp32:16, i32, 256|y|rand:f32:7x256:seed=1 y=zeros:f32:256 7
combine|without|sm_80|differential.tri|combined|*fp16:16, *fp16:16, *fp32:16, i32:16, 32|c|randn:f16:32x32:seed=1 randn:f16:32x32:seed=2 c=randn:f32:32x32:seed=3 32
decompose-dot-scaled|host|sm_80|differential.tri|scaled|*fp8e5:16, *u8:16, *bf16:16, *fp32:16, 64|c|randn:f8e5m2:32x64:seed=1 randint:u8:32x2:seed=2,low=120,high=130 randn:bf16:64x32:seed=3 c=zeros:f32:32x32
reorder-broadcast|without|sm_80|differential.tri|spread|*fp32:16, *fp32:16, i32, 32|y|randn:f32:32x32:seed=1 y=randn:f32:32x32:seed=2 3
rewrite-tensor-pointer|host|sm_80|block-pointer.ttir|sums||arg1|randn:f32:24x40:seed=1 arg1=zeros:f32:24x40 24 40 3
rewrite-tensor-descriptor-to-pointer|host|sm_80|execute.tri|descriptor|*fp32:16, *fp32:16, i32, i32, 16, 64|y|randn:f32:24x64:seed=1 y=zeros:f32:24x64 24 64
loop-aware-cse|without|sm_80|differential.tri|repeated|*fp32:16, *fp32:16, *fp32:16, i32, 128|y|randn:f32:5x128:seed=1 y=zeros:f32:128 randn:f32:128:seed=2 5
loop-unroll|without|sm_80|execute.tri|branches|*fp32:16, *fp32:16, i32, 256|y|rand:f32:7x256:seed=1 y=zeros:f32:256 7
loop-peeling|after:loop-unroll|sm_80|peeled.ttir|peeled||arg1|randn:f32:5x128:seed=1 arg1=zeros:f32:128 5
triton-licm|without|sm_80|differential.tri|repeated|*fp32:16, *fp32:16, *fp32:16, i32, 128|y|randn:f32:5x128:seed=1 y=zeros:f32:128 randn:f32:128:seed=2 5
convert-triton-to-tritongpu|host|sm_80|execute.tri|softmax|*fp16:16, *fp32:16, i32:16, 32, 128|y|randn:f16:32x128:seed=1 y=zeros:f32:32x128 128
coalesce|without|sm_80|execute.tri|transpose|*fp32:16, *fp32:16, i32:16, 32, 32|y|randn:f32:32x32:seed=1 y=zeros:f32:32x32 32
f32-dot-tc|without|sm_80|differential.tri|product|*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 32, 32, 32, 'tf32x3', False|c|randn:f32:32x32:seed=1 randn:f32:32x32:seed=2 c=zeros:f32:32x32 32 32 32 32
f32-dot-tc|without|sm_80|differential.tri|product|*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 32, 32, 32, 'bf16x3', False|c|randn:f32:32x32:seed=1 randn:f32:32x32:seed=2 c=zeros:f32:32x32 32 32 32 32
f32-dot-tc|without|sm_80|differential.tri|product|*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 32, 32, 32, 'bf16x6', False|c|randn:f32:32x32:seed=1 randn:f32:32x32:seed=2 c=zeros:f32:32x32 32 32 32 32
remove-layout-conversions|without|sm_80|execute.tri|transpose|*fp32:16, *fp32:16, i32:16, 32, 32|y|randn:f32:32x32:seed=1 y=zeros:f32:32x32 32
remove-layout-conversions|without|sm_80|differential.tri|reloaded|*fp32:16, *fp32:16, i32, 32|y|randn:f32:6x32x32:seed=1 y=zeros:f32:6x32x32 6
optimize-thread-locality|without|sm_80|differential.tri|sums|*fp32:16, *fp32:16, i32:16, 32, 128|y|randn:f32:32x256:seed=1 y=zeros:f32:32 256
optimize-thread-locality|without|sm_80|differential.tri|gathered|*fp32:16, *fp32:16, i32, 64, 16|y|randn:f32:64x16:seed=1 y=zeros:f32:64x16 3
optimize-thread-locality|without|sm_80|differential.tri|gathered|*fp16:16, *fp32:16, i32, 32, 256|y|randn:f16:32x256:seed=1 y=zeros:f32:32x256 3
optimize-thread-locality|without|sm_80|differential.tri|viewed|*fp32:16, *fp32:16, 2048|y|randn:f32:2048:seed=1 y=zeros:f32:1
accelerate-matmul|without|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
optimize-dot-operands|without|sm_80|differential.tri|chained|*fp16:16, *fp16:16, *fp32:16, i32:16, 64, True|c|randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 c=zeros:f32:64x64 64
reduce-data-duplication|without|sm_80|differential.tri|chained|*fp16:16, *fp16:16, *fp32:16, i32:16, 64, False|c|randn:f16:64x64:seed=1 randn:f16:64x64:seed=2 c=zeros:f32:64x64 64
reorder-instructions|without|sm_80|differential.tri|spread|*fp32:16, *fp32:16, i32, 32|y|randn:f32:32x32:seed=1 y=randn:f32:32x32:seed=2 3
combine-tensor-select-and-if|without|sm_80|differential.tri|chosen|*fp32:16, *fp32:16, *fp32:16, i32, 128|z|randn:f32:128:seed=1 randn:f32:128:seed=2 z=zeros:f32:256 5
fuse-nested-loops|without|sm_80|execute.tri|flattened|*fp32:16, *fp32:16, i32, i32, 128|y|randn:f32:5x128:seed=1 y=zeros:f32:8x128 7 5
fuse-nested-loops|without|sm_90|execute.tri|persistent|*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, 64, 64, 32|c|-grid=2 randn:f16:80x80:seed=1 randn:f16:80x144:seed=2 c=zeros:f32:80x144 80 144 80
fuse-nested-loops|without|sm_80|siblings.ttir|siblings||arg1|randn:f32:128:seed=1 arg1=zeros:f32:6x128 5 6
coalesce-async-copy|after:pipeline|sm_80|differential.tri|bytes_product|*i8:16, *i8:16, *i32:16, i32:16, 64|c|randint:i8:64x128:seed=1,low=-9,high=9 randint:i8:128x64:seed=2,low=-9,high=9 c=zeros:i32:64x64 128
assign-latencies|without|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
schedule-loops|without|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
pipeline|without|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
pipeline-lower-loop|after:schedule-loops|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
prefetch|without|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
allocate-shared-memory|host|sm_80|execute.tri|softmax|*fp16:16, *fp32:16, i32:16, 32, 128|y|randn:f16:32x128:seed=1 y=zeros:f32:32x128 128
membar|host|sm_80|differential.tri|product|$mm, 64, 64, 32, 'tf32', False|c|$mm_args
print-axis-info|looks|sm_80|execute.tri|softmax|*fp16:16, *fp32:16, i32:16, 32, 128|y|-
print-alias|looks|sm_80|execute.tri|softmax|*fp16:16, *fp32:16, i32:16, 32, 128|y|-
print-allocation|looks|sm_80|execute.tri|softmax|*fp16:16, *fp32:16, i32:16, 32, 128|y|-
ROWS
}


# The pipeline of the target: passes and options, one a line.
pipeline_of() {
    "$TRITCC" --print-pipeline "-arch=$1" | sed -n 's/^  -passes=//p' | paste -sd, | awk '{
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "{") depth++
            if (c == "}") depth--
            printf "%s", c == "," && !depth ? "\n" : c
        }
        print ""
    }'
}


run_passes() { "$TRITCC" -x ttir -passes="$(paste -sd, "$1")" "-arch=$arch" raw.ttir -o "$2"; }

# Does the pass change anything, at one of its places?
fires() {
    local n=0 line
    while read -r line; do
        n=$((n + 1))
        [ "${line%%\{*}" = "$pass" ] || continue
        head -n "$n" with >upto
        head -n $((n - 1)) with >before
        run_passes upto upto.ttgir && run_passes before before.ttgir || return 1
        cmp -s upto.ttgir before.ttgir || return 0
    done <with
    return 1
}

check_row() {
    local pass=$1 how=$2 arch=$3 file=$4 kernel=$5 signature=$6 result=$7 arguments
    read -ra arguments <<<"$8"
    rm -f ./*.ttir ./*.ttgir ./*.npy
    pipeline_of "$arch" >normal
    if [[ $file == *.tri ]]; then
        "$TRITCC" -passes= -k "$kernel" -sig "$signature" "-arch=$arch" "$here/$file" -o raw.ttir
    else
        cp "$here/$file" raw.ttir
    fi
    case $how in
    without) cp normal with && awk -v pass="$pass" '{ name = $0; sub(/\{.*/, "", name) } name != pass' normal >other ;;
    host) cp normal with ;;
    after:*) cp normal other && awk -v at="${how#after:}" -v pass="$pass" '{ print } $0 == at { print pass }' normal >with ;;
    looks)
        run_passes normal with.ttgir || return 1
        "$TRITCC" -x ttgir -passes="$pass" "-arch=$arch" with.ttgir -o other.ttgir 2>/dev/null
        cmp with.ttgir other.ttgir
        return
        ;;
    esac
    grep -q "^$pass" with || { echo "$pass is not in the pipeline" && return 1; }
    fires || { echo "$pass changes nothing here" && return 1; }
    run_passes with with.ttgir || return 1
    if [ "$how" = host ]; then
        local others=()
        [[ $file == *.tri ]] && others=(-k "$kernel" -sig "$signature")
        "$TRITCC" -passes= "${others[@]}" -arch=native -x "$([[ $file == *.tri ]] && echo tri || echo ttir)" "$here/$file" -o host.ttir || return 1
        "$TRITRUN" -o "$result=other.npy" host.ttir "${arguments[@]}" || return 1
    else
        run_passes other other.ttgir || return 1
        "$TRITRUN" "-arch=sim:$arch" -o "$result=other.npy" other.ttgir "${arguments[@]}" || return 1
    fi
    "$TRITRUN" "-arch=sim:$arch" -expect="$result=@other.npy" -rtol=1e-3 -atol=1e-3 with.ttgir "${arguments[@]}"
}

@test "every pass has a row" {
    "$TRITCC" --list-passes | sed -n 's/^\([a-z0-9-]\+\)  *.*/\1/p' | sort >passes
    rows | cut -d'|' -f1 | sort -u >named
    diff passes named
}

# So that the row of `reloaded` speaks of that: the only conversion stands in the branch that loads.
@test "a conversion moves into the branch that loads" {
    "$TRITCC" -k reloaded -sig '*fp32:16, *fp32:16, i32, 32' -arch=sm_80 -emit=ttgir "$here/differential.tri" -o moved.ttgir
    sed -n '/scf.if/,/} else/p' moved.ttgir | grep convert_layout
    [ "$(grep -c 'ttg.convert_layout' moved.ttgir)" = 1 ]
}

# In four parts, which take as long as one another.
part() {
    local failed= n=0 row fields
    while read -r row; do
        n=$((n + 1))
        [ $((n % 4)) = "$1" ] || continue
        IFS='|' read -ra fields <<<"$row"
        check_row "${fields[@]}" || failed+=" ${fields[0]}"
    done < <(rows)
    echo "failed:$failed"
    [ -z "$failed" ]
}
@test "every pass keeps results, first quarter" { part 0; }
@test "every pass keeps results, second quarter" { part 1; }
@test "every pass keeps results, third quarter" { part 2; }
@test "every pass keeps results, last quarter" { part 3; }
