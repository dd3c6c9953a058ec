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

# chains INSTRUCTION: the places of its lines, innermost first, as file:line in function, from .loc, .file and .debug_str;
# every different one, sorted. chain: that of the first.
chains() { every_chain "$1" | sort -u; }
chain() { every_chain "$1" | head -n 1; }
every_chain() {
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
    $1 != ".loc" && index($0, want) {
        for (at = here; at != ""; at = caller[at]) {
            split(at, p, " ")
            printf "%s%s:%s%s", (at == here ? "" : " < "), file[p[1]], p[2], (of[at] ? " in " name[of[at]] : "")
        }
        print ""
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

# debug_tree: the functions of .debug_info and what was inlined into them, as "name:line" or "name at line", by depth.
debug_tree() {
    awk '
    $1 == ".section" { section = $2 }
    $1 ~ /^\.b(8|16|32|64)$/ && (section == ".debug_abbrev" || section == ".debug_info") {
        size = substr($1, 3) / 8
        sub(/^[^ \t]*[ \t]+\.b[0-9]+[ \t]+|^[ \t]*\.b[0-9]+[ \t]+/, "")
        for (i = 0; i < size; i++) byte[section, n[section]++] = ($0 ~ /^[0-9]+$/) ? int($0 / 256 ^ i) % 256 : 0
    }
    function next_byte() { return byte[".debug_info", at++] + 0 }
    function number(size,    v, i) { v = 0; for (i = 0; i < size; i++) v += next_byte() * 256 ^ i; return v }
    function leb(section,    v, shift, b) {
        v = 0; shift = 1
        do { b = byte[section, pos++] + 0; v += (b % 128) * shift; shift *= 128 } while (b >= 128)
        return v
    }
    function text(    t, b) { t = ""; while ((b = next_byte())) t = t sprintf("%c", b); return t }
    function value(form) {
        if (form == 8) return text()
        if (form == 11 || form == 12 || form == 17) return number(1)
        if (form == 5 || form == 18) return number(2)
        if (form == 6 || form == 19 || form == 23) return number(4)
        if (form == 1 || form == 7) return number(8)
        if (form == 10) { at += number(1); return 0 }
        print "form " form " is not known"; exit 1
    }
    END {
        for (pos = 0; (code = leb(".debug_abbrev"));) {
            tag[code] = leb(".debug_abbrev"); has_children[code] = leb(".debug_abbrev")
            for (k = 0;; k++) {
                name[code, k] = leb(".debug_abbrev"); form[code, k] = leb(".debug_abbrev")
                if (!name[code, k] && !form[code, k]) break
            }
            count[code] = k
        }
        at = 11
        while (at < n[".debug_info"]) {
            start = at
            code = next_byte()
            if (!code) { depth--; continue }
            split("", v)
            for (k = 0; k < count[code]; k++) v[name[code, k]] = value(form[code, k])
            if (tag[code] == 46) called[start] = v[3] ":" v[59]
            if (tag[code] == 46 && has_children[code]) print v[3] ":" v[59]
            if (tag[code] == 29) printf "%*s%s at %d\n", 2 * (depth - 1), "", called[v[49]], v[89]
            depth += has_children[code]
        }
    }' k.ptx
}

@test "-g has the same lines" {
    write_sources
    tritcc -arch=sm_80 -O0 -fno-fp-fusion -g -emit=ptx=k.ptx -sig 'k(*fp32:16, i32, 128)' k.tri
    [ "$(chain 'ld.global')" = "ktri:20" ]
    [ "$(chain 'sqrt.approx')" = "libpy:7" ]
    grep -q 'target sm_80, debug' k.ptx
    debug_tree | LC_ALL=C sort -u >tree
    diff - tree <<'END'
    inner:7 at 13
  outer:12 at 21
  scale:6 at 22
k:18
END
}

write_tiles() {
    cat >k.tri <<'END'
import triton
import triton.language as tl


@triton.jit
def tile(p, i, j, stride):
    at = p + i[:, None] * stride + j[None, :]
    return tl.load(at)


@triton.jit
def step(acc, a, b):
    return tl.dot(a, b, acc)


@triton.jit
def body(acc, a, b, m, k, K):
    x = tile(a, m, k, K)
    y = tile(b, k, m, 64)
    return step(acc, x, y)


@triton.jit
def matmul(a, b, c, K):
    m = tl.arange(0, 64)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for k in range(0, K, 64):
        acc = body(acc, a, b, m, k + m, K)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


@triton.jit
def fetch(d, i, j):
    return d.load([i, j])


@triton.jit
def described(a, b, c, K):
    da = tl.make_tensor_descriptor(a, [64, K], [K, 1], [64, 64])
    db = tl.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64])
    dc = tl.make_tensor_descriptor(c, [64, 64], [64, 1], [64, 64])
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for k in range(0, K, 64):
        x = fetch(da, 0, k)
        acc = step(acc, x, fetch(db, k, 0))
    dc.store([0, 0], acc)
END
}

@test "lines of a pipelined loop, in front of it and in it, through two helpers" {
    local arch product
    write_tiles
    for arch in sm_80 sm_90a; do
        product=mma.sync
        [ $arch = sm_80 ] || product=wgmma.mma_async
        tritcc -arch=$arch -fno-auto-tma -lineinfo -emit=ptx=k.ptx -sig 'matmul(*fp16:16, *fp16:16, *fp32:16, i32:16)' k.tri
        [ "$(grep -c 'cp.async.cg' k.ptx)" -gt 16 ]
        chains cp.async.cg | diff - <(printf 'ktri:8 in tile < ktri:%d in body < ktri:28\n' 18 19)
        [ "$(chains $product)" = 'ktri:13 in step < ktri:20 in body < ktri:28' ]
        [ "$(chains st.global)" = ktri:29 ]
        tritcc -arch=$arch -fno-auto-tma -g -emit=ptx=k.ptx -sig 'matmul(*fp16:16, *fp16:16, *fp32:16, i32:16)' k.tri
        [ "$(chains cp.async.cg)" = ktri:8 ]
        [ "$(chains $product)" = ktri:13 ]
        debug_tree | LC_ALL=C sort -u | diff - <(printf '%s\n' '    step:12 at 20' '    tile:6 at 18' '    tile:6 at 19' '  body:17 at 28' matmul:24)
    done
}

@test "lines of descriptors" {
    local arch product load
    write_tiles
    for arch in sm_80 sm_90a; do
        product=mma.sync load=cp.async.cg
        [ $arch = sm_80 ] || product=wgmma.mma_async
        tritcc -arch=$arch -lineinfo -emit=ptx=k.ptx -sig 'described(*fp16:16, *fp16:16, *fp32:16, i32:16)' k.tri
        ! grep -q cp.async.bulk.tensor k.ptx || load=cp.async.bulk.tensor.2d.shared
        chains $load | diff - <(printf 'ktri:34 in fetch < ktri:%d\n' 44 45)
        [ "$(chains $product)" = 'ktri:13 in step < ktri:45' ]
        [ "$(chains st.global)" = ktri:46 ] || [ "$(chains cp.async.bulk.tensor.2d.global)" = ktri:46 ]
    done
}

@test "no instruction of a kernel is without a line of it" {
    tritcc -arch=sm_90a -fno-auto-tma -lineinfo -emit=ptx=k.ptx \
        -sig 'attn(*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32, 64, 64, 64)' "$SRCDIR/tests/exec/attention.tri"
    local last
    last=$(wc -l <"$SRCDIR/tests/exec/attention.tri")
    # column 3 of .loc is the line, 0 for what LLVM made out of several; file 1 is the kernel's
    [ "$(awk '$1 == ".loc"' k.ptx | wc -l)" -gt 40 ]
    awk -v last="$last" '$1 == ".loc" { all++; none += $3 == 0 } $1 == ".loc" && $2 == 1 && $3 > last { print; bad = 1 }
        END { exit bad || none * 20 > all }' k.ptx
    # between the first .loc and the end every instruction follows one
    awk '/^\{/ { inside = 1; line = 0 } $1 == ".loc" { line = 1 }
        inside && /^\t[a-z@]/ && !/^\t\./ && !line { print; bad = 1 } /^\}/ { inside = 0 } END { exit bad }' k.ptx
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

@test "OpLine in SPIR-V: of this file and of the one that an inlined function comes from" {
    write_sources
    tritcc -arch=spirv64 -lineinfo -emit=spirv=k.spv,spvasm=k.spvasm -sig 'k(*fp32, i32, 64)' k.tri
    ! command -v spirv-val || spirv-val --target-env spv1.2 k.spv
    file=$(sed -n 's/ *\(%[0-9]*\) = OpString "k.tri"/\1/p' k.spvasm)
    other=$(sed -n 's/ *\(%[0-9]*\) = OpString "lib.py"/\1/p' k.spvasm)
    [ -n "$file" ] && [ -n "$other" ]
    # the line of the last OpLine of the block in front of what does it
    line_of() { awk -v want="$1" '/OpLabel/ { at = "" } /OpLine/ { at = $2 " " $3 } index($0, want) { print at; exit }' k.spvasm; }
    [ "$(line_of ' sqrt ')" = "$other 7" ]
    [ "$(line_of 'Aligned 4')" = "$file 20" ]
    grep -q "OpLine $file 23 " k.spvasm
    ! grep -q 'tritcc.line' k.spvasm || false
    tritcc -arch=spirv64 -emit=spvasm=plain.spvasm -sig 'k(*fp32, i32, 64)' k.tri
    ! grep -q 'OpLine\|OpString' plain.spvasm || false
    # what runs is the same but for the lines
    diff <(grep -oE '\bOp[A-Za-z]+' k.spvasm | grep -v 'OpLine\|OpString\|OpType' | sort | uniq -c) \
         <(grep -oE '\bOp[A-Za-z]+' plain.spvasm | grep -v OpType | sort | uniq -c)
}
