#!/bin/bash
# Builds every kernel of examples/ and bench/gpu for Intel's GPUs, and says which spill or are no valid SPIR-V:
#
#     bench/intel/zebin.sh [-a ARCH,...] [-j JOBS] [TEXT]     TEXT: only kernels whose line in tests/fingerprint.list has it
#
# A line for each kernel and architecture: architecture, registers, bytes spilled, sub-group, "valid" or what spirv-val
# says, kernel. Where .ze_info has no size of what is spilled, bytes are those of the buffer for it, a power of two. Status 1
# when one is refused, spills, is not valid, or takes more than 120 s ("late"). TRITCC names the compiler; ocloc and spirv-val
# are Debian's (intel-opencl-icd, spirv-tools), and spirv-val must know the capabilities that the modules name: what it
# does not know is said to be so, and is no error.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
archs=dg2,pvc jobs=2
while getopts a:j: option; do
    case $option in
    a) archs=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
TRITCC=$(realpath "${TRITCC:-tritcc}")
export TRITCC

build() { # ARCH LINE
    local dir line=${2#* | } source=${2%% | *} figures valid
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    eval "set -- $1 $line"
    local arch=$1
    shift
    timeout 120 "$TRITCC" -arch="$arch" -emit=spirv="$dir/k.spv",zebin="$dir/k.zebin" --resource-usage "$@" "$source" 2>"$dir/err"
    case $? in
    0) ;;
    124) echo "$arch - - - late $source $line: no end in 120 s" && return ;;
    *) echo "$arch - - - refused $source $line: $(grep -m1 error: "$dir/err")" && return ;;
    esac
    figures=$(awk '/registers/ { r = $2; s = $5 } /sub-group/ { l = $2 } END { print r, s, l }' "$dir/err")
    if valid=$(spirv-val --target-env spv1.4 "$dir/k.spv" 2>&1); then valid=valid; else
        case $valid in *'Invalid capability operand'*) valid=unknown ;; *) valid=invalid ;; esac
    fi
    echo "$arch $figures $valid $source $line"
}
export -f build

tests/fingerprint.sh -l "${1:-}" | grep -E '^(examples|bench/gpu)/' | while read -r line; do
    for arch in ${archs//,/ }; do printf '%s\0%s\0' "$arch" "$line"; done
done | xargs -0 -n 2 -P "$jobs" bash -c 'build "$@"' build |
    awk '{ print; fflush() } $3 != 0 || $5 == "late" || $5 == "refused" || $5 == "invalid" { bad++ }
        END { print NR + 0 " kernels, " bad + 0 " refused, late, invalid or with spills"; exit bad > 0 || !NR }'
