# No memory is status 1 and a message, whoever asked for it, and leaves no part of an output.

load ../helpers

setup_file() {
    export FAILING=$BATS_FILE_TMPDIR/failing.so
    cat >"$BATS_FILE_TMPDIR/failing.c" <<'C'
/* Allocation number $FAIL_AT of the process, and those behind it, find no memory; $COUNT_TO gets their number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
static unsigned long at = -1ul, count;
static int is_on;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAIL_AT");
    at = text ? strtoul(text, NULL, 10) : -1ul;
    is_on = 1;
}

__attribute__((destructor)) static void end(void) { is_on = 0; }

static int fails(void)
{
    if (!is_on || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) < at)
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

# survives ARG...: 40 allocations of tritcc ARG..., spread over the run, fail.
survives() {
    [ -n "$FAILING" ] || skip "no library that fails allocations"
    [ -z "${ASAN_OPTIONS-}" ] || skip "AddressSanitizer has its own allocator"
    local at total status
    COUNT_TO=total LD_PRELOAD=$FAILING "$TRITCC" "$@" -o out >/dev/null
    total=$(cat total)
    [ "$total" -gt 1000 ]
    rm -f out
    for i in $(seq 0 39); do
        at=$((1 + i * i * i * (total - 200) / 59320 + i))
        status=0
        FAIL_AT=$at LD_PRELOAD=$FAILING "$TRITCC" "$@" -o out >.out 2>.err || status=$?
        if [ $status -ne 1 ] || ! grep -q 'out of memory' .err || [ -e out ] || [ -n "$(ls | grep out[.])" ]; then
            echo "allocation $at of $total: status $status: $(head -c 300 .err)"
            return 1
        fi
    done
}

@test "source to PTX" { survives -arch=sm_90a -emit=ptx -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "source to an object of this host" { survives -c -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "source to SPIR-V" { survives -arch=spirv64 -emit=spirv -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"; }
@test "a text of IR" {
    tritcc -emit=ttgir=k.ttgir -arch=sm_80 -sig '*fp32, *fp32, *fp32, i32, 1024' "$EXAMPLES/vadd/vadd.tri"
    survives -arch=sm_80 -emit=ptx k.ttgir
}
