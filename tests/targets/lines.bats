# Source lines in PTX: .loc through inlined functions of this file and another one.
load ../helpers

write_sources() {
    cat >lib.py <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(x):
    return tl.sqrt(x) / 7.0
END
    cat >k.tri <<'END'
import triton
import triton.language as tl
from lib import scale


@triton.jit
def inner(x):
    return x * 3.0


@triton.jit
def outer(x):
    y = inner(x)
    return y - 2.0


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(p + i, mask=i < n)
    z = outer(x)
    z = scale(z)
    tl.store(p + i, z, mask=i < n)
END
}

# chain INSTRUCTION: the places of its line, innermost first, as file:line in function, from .loc, .file and .debug_str.
chain() {
    awk -v want="$1" '
    NR == FNR {
        if ($1 == ".file") { gsub(/[".\/]/, "", $3); file[$2] = $3 }
        if ($1 ~ /^\$L__inlined/) { label = substr($1, 1, length($1) - 1); getline; name[label] = decode($2) }
        next
    }
    $1 == ".loc" {
        gsub(/,/, "")
        here = $2 " " $3 " " $4
        of[here] = ($5 == "function_name") ? $6 : ""
        caller[here] = ($7 == "inlined_at") ? $8 " " $9 " " $10 : ""
    }
    index($0, want) {
        for (at = here; at != ""; at = caller[at]) {
            split(at, p, " ")
            printf "%s%s:%s%s", (at == here ? "" : " < "), file[p[1]], p[2], (of[at] ? " in " name[of[at]] : "")
        }
        print ""
        exit
    }
    function decode(bytes,    n, part, i, text) {
        n = split(bytes, part, ",")
        for (i = 1; i < n; i++) text = text sprintf("%c", part[i] + 0)
        return text
    }' k.ptx k.ptx
}

@test "-lineinfo says what was inlined where" {
    write_sources
    tritcc -arch=sm_80 -fno-fp-fusion -lineinfo -emit=ptx=k.ptx -sig 'k(*fp32:16, i32, 128)' k.tri
    [ "$(chain 'ld.global')" = "ktri:20" ]
    [ "$(chain 'mul.rn.f32')" = "ktri:8 in inner < ktri:13 in outer < ktri:21" ]
    [ "$(chain 'add.rn.f32')" = "ktri:14 in outer < ktri:21" ]
    [ "$(chain 'sqrt.approx')" = "libpy:7 in scale < ktri:22" ]
    [ "$(chain 'st.global')" = "ktri:23" ]
}

@test "-g has the same lines" {
    write_sources
    tritcc -arch=sm_80 -O0 -g -emit=ptx=k.ptx -sig 'k(*fp32:16, i32, 128)' k.tri
    [ "$(chain 'ld.global')" = "ktri:20" ]
    [ "$(chain 'sqrt.approx')" = "libpy:7" ]
    grep -q 'target sm_80, debug' k.ptx
    grep -q 'DW_TAG_inlined_subroutine\|debug_info' k.ptx
}

@test "every call of a function is a place of its own" {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return tl.exp2(x)


@triton.jit
def k(p, q, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, twice(tl.load(p + i)))
    tl.store(q + i, twice(tl.load(q + i)))
END
    tritcc -arch=sm_80 -lineinfo -emit=ptx=k.ptx -sig 'k(*fp32:16, *fp32:16, 128)' k.tri
    [ "$(grep -c 'loc.*function_name .L__inlined0, inlined_at 1 13 ' k.ptx)" -ge 1 ]
    [ "$(grep -c 'loc.*function_name .L__inlined0, inlined_at 1 14 ' k.ptx)" -ge 1 ]
}

@test "ptxas takes the lines of whole kernels" {
    need ptxas
    write_sources
    for option in -lineinfo -g; do
        tritcc -arch=sm_80 $option -emit=cubin=k.cubin -sig 'k(*fp32:16, i32, 128)' k.tri
        tritcc -arch=sm_90 $option -emit=cubin=k.cubin \
            -sig 'attn(*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32, 64, 64, 64)' "$SRCDIR/tests/exec/attention.tri"
    done
}
