# No memory is status 1 and a message, whoever asked for it, and leaves no part of an output.

load ../helpers
: "${TRITRUN:=$BUILDDIR/tritrun}"

setup_file() {
    export FAILING=$BATS_FILE_TMPDIR/failing.so
    cat >"$BATS_FILE_TMPDIR/failing.c" <<'C'
/* Allocation number $FAIL_AT of the process, and those behind it unless $ONCE, find no memory; $COUNT_TO gets their number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
static unsigned long at = -1ul, count;
static int is_on, is_once;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAIL_AT");
    at = text ? strtoul(text, NULL, 10) : -1ul;
    is_once = getenv("ONCE") != NULL;
    is_on = 1;
}

__attribute__((destructor)) static void end(void) { is_on = 0; }

static int fails(void)
{
    unsigned long number = is_on ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;
    if (number < at || (is_once && number > at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { return fails() || !(*p = __libc_memalign(a, n)) ? ENOMEM : 0; }

void _exit(int status)
{
    const char *to = getenv("COUNT_TO");
    is_on = 0;
    FILE *f = to ? fopen(to, "w") : NULL;
    if (f) {
        fprintf(f, "%lu\n", count);
        fclose(f);
    }
    ((void (*)(int))dlsym(RTLD_NEXT, "_exit"))(status);
    __builtin_unreachable();
}
C
    cc -shared -fPIC -O1 -w -o "$FAILING" "$BATS_FILE_TMPDIR/failing.c" -ldl || FAILING=
}

# fails_well AT OF COMMAND...: allocation AT of OF fails, and those behind it (with ONCE only that one): status 1, a
# message, and no file "out".
fails_well() {
    local at=$1 total=$2 status=0
    shift 2
    FAIL_AT=$at LD_PRELOAD=$FAILING "$@" >.out 2>.err || status=$?
    if [ $status -ne 1 ] || ! grep -q 'out of memory' .err || [ -e out ] || [ -n "$(ls | grep out[.])" ]; then
        echo "allocation $at of $total: status $status: $(head -c 300 .err)"
        return 1
    fi
}

# survives_command COMMAND...: 40 of its allocations, most of them early, fail, and with POINTS=N as many more, spread over
# the run. It writes "out" or nothing.
survives_command() {
    [ -n "$FAILING" ] || skip "no library that fails allocations"
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    local total points=${POINTS:-0}
    COUNT_TO=total LD_PRELOAD=$FAILING "$@" >/dev/null
    total=$(cat total)
    [ "$total" -gt 1000 ]
    rm -f out out.*
    for i in $(seq 0 39); do
        fails_well $((1 + i * i * i * (total - 200) / 59320 + i)) "$total" "$@" || return 1
    done
    for i in $(seq $points); do
        fails_well $((total * i / (points + 1))) "$total" "$@" || return 1
    done
}

# What LLVM asks for is served from a reserve, and the work ends behind it: of 12 such requests.
ends_late() {
    local total
    COUNT_TO=total LD_PRELOAD=$FAILING "$@" >/dev/null
    total=$(cat total)
    for i in $(seq 12); do
        rm -f out
        ONCE=1 fails_well $((total - total * i / 40)) "$total" "$@" || return 1
    done
}

survives() { survives_command "$TRITCC" "$@" -o out; }

@test "source to PTX" { survives -arch=sm_90a -emit=ptx -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "source to an object of this host" { survives -c -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "source to SPIR-V" { survives -arch=spirv64 -emit=spirv -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "a text of IR" {
    tritcc -emit=ttgir=k.ttgir -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    survives -arch=sm_80 -emit=ptx k.ttgir
}

@test "what was made after memory ran out is not written" {
    [ -n "$FAILING" ] || skip "no library that fails allocations"
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    ends_late "$TRITCC" -arch=gfx942 -emit=llir -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri" -o out
    ends_late "$TRITRUN" -arch=sim:sm_90a "$EXAMPLES/vadd/vadd.tri" arange:f32:64 arange:f32:64 zeros:f32:64 64 64 -o output_ptr=out
}
@test "every kind of output of every family" {
    local arch kinds
    while read -r arch kinds; do # a run makes all kinds of a family, one after another
        echo "$arch: $kinds"
        POINTS=20 survives_command "$TRITCC" "-arch=$arch" "-emit=$kinds" -sig '*fp32, *fp32, *fp32, i32, 1024' \
            "$EXAMPLES/vadd/vadd.tri"
    done <<'KINDS'
sm_90a ttgir=out.ttgir,header=out.h,json=out.json,html=out.html,layout=out.layout,svg=out.svg
gfx942 llir=out.ll,amdgcn=out.amdgcn,hsaco=out.hsaco,obj=out
spirv64 spirv=out.spv,spvasm=out.spvasm,obj=out
native llir=out.ll,asm=out.s,header=out.h
linalg linalg=out
KINDS
}
@test "tritrun" {
    set -- "$EXAMPLES/vadd/vadd.tri" arange:f32:64 arange:f32:64 zeros:f32:64 64 64 -o output_ptr=out
    survives_command "$TRITRUN" "$@"
    survives_command "$TRITRUN" -arch=sim:gfx942 "$@"
}

@test "the language server" {
    [ -n "$FAILING" ] || skip "no library that fails allocations"
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    message() { printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"; }
    {
        message '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
        message '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///k.py", "languageId": "python", "version": 1, "text": "import triton\nimport triton.language as tl\n@triton.jit\ndef k(p):\n    tl.store(p, tl.load(p) + 1)\n"}}}'
    } >session
    serve() { # until it has said what it thinks of the file, or has ended
        {
            cat session
            for _ in $(seq 6000); do # five minutes at most
                ! grep -q publishDiagnostics .out || break
                sleep 0.05
                message '{"jsonrpc": "2.0", "method": "$/nothing"}'
            done
            message '{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}'
            message '{"jsonrpc": "2.0", "method": "exit"}'
        } | "$TRITCC" --lsp
    }
    COUNT_TO=total LD_PRELOAD=$FAILING serve >.out
    grep -q publishDiagnostics .out
    for i in 1 2 3 4; do ONCE=1 fails_well $(($(cat total) * i / 6)) "$(cat total)" serve; done
}
