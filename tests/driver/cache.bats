# --cache-dir: outputs by the contents of what goes into them.
load ../helpers

write_kernel() {
    mkdir -p lib
    cat >lib/helper.py <<'TRI'
import triton
import triton.language as tl


@triton.jit
def scaled(x):
    return x * 2
TRI
    cat >k.tri <<'TRI'
import triton
import triton.language as tl
from helper import scaled


@triton.jit
def double(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, scaled(tl.load(x + i, mask=i < n)), mask=i < n)
TRI
    words=(--cache-dir=cache -Ilib -arch=sm_80 -sig '*fp32:16, i32, 64' k.tri)
}

# hit|miss ARG...: compiles, and is that what the cache did?
cached() {
    tritcc -v "${@:2}"
    case $1 in
    hit) [[ $errors == *'tritcc: cache: '* ]] && [[ $errors != *'tritcc: evaluate'* ]] ;;
    miss) [[ $errors != *'tritcc: cache: '* ]] && tritcc "${@:2}" ;; # which keeps it
    esac
}

@test "what was compiled is not compiled again, whatever it is called" {
    write_kernel
    cached miss -emit=ptx=a.ptx,ttgir=a.ttgir -MD -MF a.d "${words[@]}"
    cached hit -emit=ptx=b.ptx,ttgir=b.ttgir -MD -MF b.d "${words[@]}"
    cmp a.ptx b.ptx
    cmp a.ttgir b.ttgir
    [ "$(sed 's/a[.]/b./g' a.d)" = "$(cat b.d)" ]
    grep -q lib/helper.py b.d
    cached hit -emit=ptx=-,ttgir=c.ttgir "${words[@]}"
    cmp a.ptx .out
}

@test "each input counts" {
    write_kernel
    cached miss -emit=ptx=a "${words[@]}"
    cached hit -emit=ptx=a "${words[@]}"
    cached miss -emit=ptx=b -num-warps=8 "${words[@]}"
    cached miss -emit=ttir=b "${words[@]}"
    cached miss -emit=ptx=b -Wno-all "${words[@]}"
    sed -i 's/x \* 2/x * 3/' lib/helper.py
    cached miss -emit=ptx=b "${words[@]}"
    ! cmp a b || false
    sed -i 's/x \* 3/x * 2/' lib/helper.py
    cached hit -emit=ptx=b "${words[@]}"
    cmp a b
    # a file that would be found before the one that was
    sed 's/x \* 2/x * 5/' lib/helper.py >helper.py
    cached miss -emit=ptx=b "${words[@]}"
    ! cmp a b || false
    rm helper.py
    cached miss -emit=ptx=b "${words[@]}" # which files are read is known of the last compilation
    cached hit -emit=ptx=b "${words[@]}"
    cmp a b
    echo '# more' >>k.tri
    cached miss -emit=ptx=b "${words[@]}"
}

@test "messages are seen each time, and failures are not kept" {
    write_kernel
    sed -i 's/^    tl.store(x + i/    tl.static_print("hello")\n&/' k.tri
    for _ in 1 2; do
        tritcc -emit=ptx=a "${words[@]}"
        [[ $errors == *hello* ]]
    done
    echo 'def' >>lib/helper.py
    tritcc -1 -emit=ptx=a "${words[@]}"
    tritcc -1 -emit=ptx=a "${words[@]}"
}

@test "damaged, missing and foreign entries are none" {
    write_kernel
    tritcc -emit=ptx=a "${words[@]}"
    for f in cache/*/*.r; do printf x | dd of="$f" bs=1 seek=200 conv=notrunc status=none; done
    cached miss -emit=ptx=b "${words[@]}"
    cmp a b
    for f in cache/*/*.m; do : >"$f"; done
    cached miss -emit=ptx=b "${words[@]}"
    for f in cache/*/*.r; do head -c 300 "$f" >t && mv t "$f"; done
    cached miss -emit=ptx=b "${words[@]}"
    rm -r cache/*
    cached miss -emit=ptx=b "${words[@]}"
    cmp a b
    [ -z "$(find cache -name '.*' -type f)" ] # no temporaries
    tritcc -emit=ptx=b --cache-dir=/proc/none "${words[@]:1}"
    cmp a b
}

@test "many writers at the same time" {
    write_kernel
    tritcc -emit=ptx=a "${words[@]:1}"
    seq 24 | xargs -P 8 -I{} "$TRITCC" -emit=ptx={}.ptx "${words[@]}"
    for i in $(seq 24); do cmp a "$i.ptx"; done
    cached hit -emit=ptx=b "${words[@]}"
    cmp a b
}

@test "objects with all configurations and tables" {
    cat >k.tri <<'TRI'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": b}) for b in (64, 128)], key=["n"])
@triton.jit
def fill(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
TRI
    echo 'fill * n=5 1' >table
    local words=(--cache-dir=cache -config=all -ftune=table -c -sig '*fp32, i32' -emit=header k.tri)
    tritcc "${words[@]}"
    cp k.o first.o
    rm k.o k.h
    cached hit "${words[@]}"
    cmp k.o first.o && [ -s k.h ]
    echo 'fill * n=5 0' >table
    cached miss "${words[@]}"
    ! cmp k.o first.o || false
}
