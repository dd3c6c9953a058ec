# tritrun -tune: configurations measured over shapes.
load ../helpers

TRITRUN=$BUILDDIR/tritrun

write_kernel() {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


# config 0 does much more work than 1; 2 has no power of two
@triton.autotune(configs=[triton.Config({"B": b, "TURNS": t}) for b, t in [(64, 3000), (128, 1), (48, 1)]], key=["n", "x", "m"])
@triton.jit
def work(x, n, m, B: tl.constexpr, TURNS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for k in range(TURNS):
        v = v * 0.5 + tl.sqrt(v + m)
    tl.store(x + i, tl.where(v == 12345.0, 1.0, 0.0), mask=i < n)


@triton.jit
def plain(x, n):
    tl.store(x + n, 1.0)
TRI
}

@test "a table of the fastest, a plot, and an object that takes them" {
    write_kernel
    printf 'other * n=1 0\nwork * n=77,m=7 0\nwork sm_80 n=5,m=5 0\n' >table
    "$TRITRUN" -k work -tune=table -for n=1000,3000 -for m=1,5 -grid='cdiv(n,B)' k.tri 'rand:f32:{n}' '{n}' m='{m}' >plot
    cat plot table
    [ "$(cat table)" = 'other * n=1 0
work sm_80 n=5,m=5 0
work * n=1000,m=1 1
work * n=1000,m=5 1
work * n=3000,m=1 1
work * n=3000,m=5 1' ]
    [ "$(grep -c '^work, n=[13]000,m=[15] on this host$' plot)" = 4 ]
    grep -qE '^    0 +[0-9.]+ us  #{30}  B=64, TURNS=3000$' plot
    grep -qE '^    1 +[0-9.]+ us  # +B=128, TURNS=1  <- fastest$' plot
    grep -qx '    2        does not run' plot
    sed -i 's/(48, 1)/(32, 1)/' k.tri
    tritcc -config=all -ftune=table -c -k work -sig 'work(*fp32,i32,i32)' k.tri
}

@test "the grid of the file's own launch" {
    write_kernel
    printf '\n\ndef launch(x, n, m):\n    work[lambda meta: (triton.cdiv(n, meta["B"]), 1 if m > 3 else 2)](x, n, m)\n' >>k.tri
    "$TRITRUN" -k work -tune=table -for n=1000 k.tri 'rand:f32:{n}' '{n}' m=2 >plot
    grep -qx 'work \* n=1000,m=2 1' table
    printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, n, m):\n    tl.atomic_add(x, 1)\n' >one.tri
    "$TRITRUN" -print=x one.tri zeros:i32:1 7 2 >out
    [ "$(tail -n 1 out)" = " 1" ]
    printf '\n\ndef f(x, n, m):\n    k[(n, min(m, 5) if m > 1 else 9)](x, n, m)\n' >>one.tri
    "$TRITRUN" -print=x one.tri zeros:i32:1 7 2 >out
    [ "$(tail -n 1 out)" = " 14" ]
    "$TRITRUN" -print=x -grid=3 one.tri zeros:i32:1 7 2 >out
    [ "$(tail -n 1 out)" = " 3" ]
}

@test "on a CUDA device the table names its architecture" {
    write_kernel
    mkdir stub
    cc -shared -fPIC -I"$SRCDIR" -o stub/libcuda.so.1 "$SRCDIR/tests/targets/stub_cuda.c" -lpthread
    LD_LIBRARY_PATH=stub "$TRITRUN" -arch=cuda -k work -tune=- -grid='cdiv(n,B)' k.tri rand:f32:100 100 2 >table 2>plot
    [ "$(tail -n 1 table)" = "work sm_90a n=100,m=2 0" ]
    grep -q '^work, n=100,m=2 on sm_90a$' plot
    grep -q '  B=64, TURNS=3000, num_warps=4, num_stages=3  <- fastest$' plot
}

@test "what cannot be tuned" {
    write_kernel
    refuse() { # TEXT STATUS ARG...
        local text=$1 want=$2
        shift 2
        status=0
        "$TRITRUN" "$@" >out 2>err || status=$?
        cat err
        [ "$status" = "$want" ] && grep -qF -- "$text" err
    }
    local arguments=(k.tri rand:f32:100 100)
    refuse '-tune: it needs -grid' 2 -k work -tune=t "${arguments[@]}" 2
    refuse "-tune: the simulator's time" 2 -arch=sim -grid=1 -k work -tune=t "${arguments[@]}" 2
    refuse 'no configurations to choose from' 1 -k plain -grid=1 -tune=t "${arguments[@]}"
    refuse "cannot write 'absent/t'" 1 -k work -grid=1 -tune=absent/t "${arguments[@]}" 2
    [ ! -s out ] # nothing was measured
    refuse '-for is for -tune' 2 -k work -for n=1 "${arguments[@]}" 2
    refuse '-tune only measures' 2 -k work -tune=t -bench "${arguments[@]}" 2
    refuse 'expected NAME=...' 2 -k work -tune=t -for n "${arguments[@]}" 2
    refuse "'C' is not defined" 1 -k work -tune=t -grid='cdiv(n,C)' "${arguments[@]}" 2
    [ ! -e t ]
    tritcc -c -arch=compute_80 -k plain -sig 'plain(*fp32,i32)' k.tri
    refuse '-tune: it needs the kernel' 2 -tune=t -grid=1 k.o rand:f32:100 100
}
