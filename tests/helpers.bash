# The words of the tests: tritcc, check, need, await, golden; HOST_ARCH and HOST_LEVELS. A test works in $BATS_TEST_TMPDIR only.
# TRITCC is the compiler under test, SRCDIR the source tree, BUILDDIR the build folder.
bats_require_minimum_version 1.8.0

: "${SRCDIR:=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)}"
: "${BUILDDIR:=$SRCDIR/build}"
: "${TRITCC:=$BUILDDIR/tritcc}"
: "${FILECHECK:=FileCheck-22}"
EXAMPLES=$SRCDIR/examples
export SRCDIR BUILDDIR TRITCC EXAMPLES

setup() { start_test; }

# start_test: what a test's own setup begins with.
start_test() {
    note_failures
    cd "$BATS_TEST_TMPDIR" || return 1
}

# bats notes where it is in front of every command, which takes half of the time of tests that loop: where one fails is
# enough. The trace that is printed is the same.
note_failures() {
    declare -F bats_capture_stack_trace bats_error_trap >/dev/null || return 0 # another bats
    trap - DEBUG
    trap note_failure ERR
    BATS_DEBUG_LAST_STACK_TRACE=() BATS_DEBUG_LASTLAST_STACK_TRACE=()
}

note_failure() {
    local failed=$?
    bats_capture_stack_trace
    end_with "$failed" || bats_error_trap
}

end_with() { return "$1"; }

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
    { output=$(<.out) errors=$(<.err); } 2>/dev/null # (bash warns of zero bytes, which it leaves out)
    printf '$ tritcc %s\n# status %s\n%.10000s\n%.10000s\n' "$*" "$status" "$output" "$errors"
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

# await COMMAND...: runs it again and again until it is true, for five minutes: no test says how long anything takes.
await() {
    local tries
    for ((tries = 0; tries < 6000; tries++)); do
        ! "$@" || return 0
        sleep 0.05
    done
    echo "in vain: $*"
    return 1
}

# has_ended PID: the process is gone, or nobody has asked how it ended.
has_ended() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# golden FILE [ACTUAL]: the last messages (or the file ACTUAL) are exactly FILE's; UPDATE_GOLDEN=1 rewrites it.
golden() {
    if [ -n "${UPDATE_GOLDEN-}" ]; then
        cp "${2:-.err}" "$1"
    fi
    diff -u "$1" "${2:-.err}"
}
