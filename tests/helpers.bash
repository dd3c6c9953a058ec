# The words of the tests: tritcc, check, need, golden; HOST_ARCH and HOST_LEVELS. A test works in $BATS_TEST_TMPDIR only.
# TRITCC is the compiler under test, SRCDIR the source tree, BUILDDIR the build folder.
bats_require_minimum_version 1.8.0

: "${SRCDIR:=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)}"
: "${BUILDDIR:=$SRCDIR/build}"
: "${TRITCC:=$BUILDDIR/tritcc}"
: "${FILECHECK:=FileCheck-22}"
EXAMPLES=$SRCDIR/examples
export SRCDIR BUILDDIR TRITCC EXAMPLES

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# tritcc [-STATUS] ARG...: runs the compiler and wants this exit status (0). Its streams are in the
# files .out and .err and in $output and $errors; they are shown when the test fails.
tritcc() {
    local want=0
    if [[ $1 =~ ^-[0-9]+$ ]]; then
        want=${1#-}
        shift
    fi
    status=0
    "$TRITCC" "$@" >.out 2>.err || status=$?
    output=$(tr -d '\0' <.out)
    errors=$(tr -d '\0' <.err)
    printf '$ tritcc %s\n# status %s\n%s\n%s\n' "$*" "$status" "$output" "$errors" | head -c 20000
    [ "$status" -eq "$want" ]
}

# What this host is compiled for where results are compared: a level of x86-64, not what the processor happens to have.
# HOST_LEVELS are all it can run; HOST_ARCH=... runs the tests as another one.
case $(uname -m) in
x86_64)
    HOST_LEVELS=x86-64
    ! grep -qw sse4_2 /proc/cpuinfo || HOST_LEVELS=x86-64-v2
    ! grep -qw avx2 /proc/cpuinfo || HOST_LEVELS+=' x86-64-v3'
    : "${HOST_ARCH:=${HOST_LEVELS##* }}"
    ! grep -qw avx512vl /proc/cpuinfo || HOST_LEVELS+=' x86-64-v4'
    ;;
aarch64) HOST_LEVELS=aarch64 ;;
*) HOST_LEVELS=native ;;
esac
: "${HOST_ARCH:=$HOST_LEVELS}"

# check FILE [PREFIX [INPUT]]: FileCheck of the last output (or of INPUT) against the CHECK lines in FILE.
check() {
    "$FILECHECK" --enable-var-scope --check-prefix="${2:-CHECK}" "$1" --input-file="${3:-.out}"
}

has_libdevice() { [ -e "${CUDA_HOME:-/usr/local/cuda}/nvvm/libdevice/libdevice.10.bc" ]; }

# need TOOL|gpu|libdevice|file PATH: skips the test, with the reason, when something is missing here.
need() {
    case $1 in
    gpu) [ -e /dev/nvidia0 ] || skip "no NVIDIA GPU" ;;
    libdevice) has_libdevice || skip "no libdevice of NVIDIA's" ;;
    file) [ -e "$2" ] || skip "no $2" ;;
    *) command -v "$1" >/dev/null || skip "no $1" ;;
    esac
}

# golden FILE [ACTUAL]: the last messages (or the file ACTUAL) are exactly FILE's; UPDATE_GOLDEN=1 rewrites it.
golden() {
    if [ -n "${UPDATE_GOLDEN-}" ]; then
        cp "${2:-.err}" "$1"
    fi
    diff -u "$1" "${2:-.err}"
}
