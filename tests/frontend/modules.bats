load ../helpers

# file PATH: writes it, with folders, from standard input.
file() {
    mkdir -p "$(dirname "$1")"
    cat >"$1"
}

# A kernel that stores EXPR, after the lines of standard input.
stores() {
    { printf 'import triton\nimport triton.language as tl\n' && cat && printf '\n\n@triton.jit\ndef k(p):\n    tl.store(p, %s)\n' "$1"; } >k.tri
}

# gives VALUE: the constant that the kernel stores.
gives() {
    local want=$1
    shift
    tritcc k.tri -k k -sig '*i32' -emit=ttir=- "$@"
    [[ $output == *"arith.constant $want : i32"* ]]
}

@test "kernels of programs that have tritcc's package alone" {
    file k.tri <<'K'
import tritcc
import tritcc.language as tl


@tritcc.jit
def three(v):
    return v * 0 + 3


@tritcc.jit(arch="native", threads=tritcc.cdiv(4, 2))
def k(p, B: tl.constexpr):
    tl.store(p, three(B))
K
    tritcc k.tri -k k -sig '*i32, 8' -emit=ttir=-
    [[ $output == *"tt.func public @k(%p: !tt.ptr<i32>)"* ]] && [[ $output == *"arith.constant 3 : i32"* ]]
    sed -i 's/tl.store/tl.stor/' k.tri
    tritcc -1 k.tri -k k -sig '*i32, 8' -emit=ttir=-
    [[ $errors == *"has no 'stor'"* ]]
}

@test "every way to import the language" {
    file k.tri <<'K'
import triton
import triton as tt
import triton.language
import triton.language as tl
import triton.language.core as core
from triton import language
from triton import jit, language as lang
from triton.language import load, store as put, constexpr
from triton.language.core import program_id
from triton.language.standard import zeros_like


@jit
def k(p, B: constexpr):
    o = triton.language.arange(0, B) + tt.language.zeros_like(tl.arange(0, B)) + core.arange(0, B)
    o += language.arange(0, B) + lang.arange(0, B) + zeros_like(o) + program_id(0)
    put(p + o, load(p + o))
K
    tritcc k.tri -sig '*i32, 16' -emit=ttir=-
    [[ $output == *tt.load*tt.store* ]]
}

@test "a module's symbols do not tell where its folder is" {
    mkdir -p a/lib b/deep/lib/pkg
    file a/lib/helper.py <<'K'
import triton


@triton.jit(noinline=True)
def double(x):
    return x + x
K
    mkdir -p a/lib/pkg
    file a/lib/pkg/more.py <<'K'
import triton


@triton.jit(noinline=True)
def thrice(x):
    return x + x + x
K
    cp a/lib/helper.py b/deep/lib/
    cp a/lib/pkg/more.py b/deep/lib/pkg/
    file k.tri <<'K'
import triton
import triton.language as tl
from helper import double
from pkg.more import thrice


@triton.jit
def k(p):
    tl.store(p, double(tl.load(p)) + thrice(tl.load(p)))
K
    for folder in a/lib ./a/lib a/lib/ "$PWD/b/deep/lib" a/../b/deep/lib; do
        tritcc -I "$folder" k.tri -sig '*i32' -emit=ttir=- -arch=sm_80
        printf '%s\n' "$output" >now.ttir
        [ -e first.ttir ] || cp now.ttir first.ttir
        cmp first.ttir now.ttir
    done
    [[ $output == *helper.double* && $output == *pkg.more.thrice* && $output != *lib* ]]
}
@test "constants of the file" {
    stores 'A + B + C' <<'K'
A = tl.constexpr(1)
B: tl.constexpr = tl.constexpr(A * 10)
_base = 50
C = tl.constexpr(_base * 2)
_base = 7
K
    gives 111
}

@test "a helper of a sibling file" {
    file helper.py <<'K'
import triton

STEP = 5


@triton.jit
def plus(x, n=STEP):
    return x + n
K
    stores 'plus(37)' <<<'from helper import plus'
    gives 42 -MD -MF deps
    [[ $(<deps) == *helper.py* ]]
    stores 'h.plus(37)' <<<'import helper as h'
    gives 42
    stores 'helper.plus(37)' <<<'import helper'
    gives 42
}

@test "packages by -I, through their __init__ and submodules" {
    file lib/pkg/__init__.py <<<'from .math import twice'
    file lib/pkg/math.py <<'K'
import triton
from ..pkg.deep import base


@triton.jit
def twice(x):
    return x * base.TWO
K
    file lib/pkg/deep/base.py <<<$'import triton.language as tl\nTWO = tl.constexpr(2)'
    stores 'pkg.twice(21)' <<<'import pkg'
    gives 42 -Ilib
    stores 'pkg.math.twice(21)' <<<'import pkg.math'
    gives 42 -Ilib
    stores 'm.twice(21)' <<<'from pkg import math as m'
    gives 42 -Ilib
    stores 'pkg.deep.base.TWO + 40' <<<'import pkg.deep.base'
    gives 42 -Ilib
}

@test "relative imports of the compiled file" {
    file top/__init__.py </dev/null
    file top/common.py <<<$'import triton.language as tl\nN = tl.constexpr(40)'
    file top/ops/__init__.py </dev/null
    file top/ops/one.py <<<$'import triton.language as tl\nM = tl.constexpr(2)'
    stores 'N + one.M + common.N - N' <<<$'from ..common import N\nfrom . import one\nfrom top import common'
    mv k.tri top/ops/k.tri
    tritcc top/ops/k.tri -sig '*i32' -emit=ttir=-
    [[ $output == *"arith.constant 42 : i32"* ]]
}

@test "a star import" {
    file names.py <<<$'import triton.language as tl\nN = tl.constexpr(42)\n_hidden = tl.constexpr(1)'
    stores N <<<'from names import *'
    gives 42
    stores _hidden <<<'from names import *'
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"'_hidden' is not defined"* ]]
}

@test "of guarded imports the first that exists counts" {
    file fallback.py <<<$'import triton.language as tl\nN = tl.constexpr(42)'
    stores N <<'K'
try:
    from no_such_package import N
except ImportError:
    from fallback import N
K
    gives 42
    file k.tri <<'K'
import triton
import triton.language as tl

try:
    from triton.language.math import no_such_function as f
except ImportError:
    try:
        from triton.language.extra.libdevice import tanh as f
    except ModuleNotFoundError:
        from triton.language.libdevice import tanh as f


@triton.jit
def k(p):
    tl.store(p, f(tl.load(p)))
K
    tritcc k.tri -sig '*fp32' -emit=ttir=- -arch=sm_80
    [[ $output == *__nv_tanhf* ]]
}

@test "conditions choose among definitions" {
    stores 'f()' <<'K'
from packaging import version

if version.parse(triton.__version__) >= version.parse("3.0.0"):
    @triton.jit
    def f():
        return 42
else:
    @triton.jit
    def f():
        return 1
K
    gives 42
}

@test "a condition that is not known is named, with the way out" {
    stores N <<'K'
import torch
if torch.cuda.is_available():
    N = tl.constexpr(1)
else:
    N = tl.constexpr(2)
K
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"k.tri:12:17: error: the value of 'N' cannot be computed while compiling"*TRI-3034* ]]
    [[ $errors == *"k.tri:4:4: note: which 'N' is meant depends on 'torch.cuda.is_available()'"* ]]
    [[ $errors == *"'-DN=VALUE' gives the value"* ]]
    gives 42 -DN=42
}

@test "-D replaces a constant and what follows from it" {
    stores 'M' <<<$'N = 1\nM = tl.constexpr(N * 2)'
    gives 2
    gives 42 -DN=21
}

@test "aliases of functions are followed" {
    stores 'g(41)' <<'K'
@triton.jit
def f(x):
    return x + 1


g = f
K
    gives 42
    stores 'g(41)' <<'K'
def plain(x):
    return x + 1


g = triton.jit(plain)
K
    gives 42
}

@test "kernels in classes, branches and functions" {
    file k.tri <<'K'
import triton
import triton.language as tl


class C:
    @staticmethod
    @triton.jit
    def in_class(p: "*i32"):
        tl.store(p, 1)


if True:
    @triton.jit
    def in_branch(p: "*i32"):
        tl.store(p, 2)


def make():
    width = tl.constexpr(3)

    @triton.jit
    def nested(p: "*i32"):
        tl.store(p, width)

    return nested
K
    tritcc k.tri -emit=ttir=-
    [[ $output == *"@in_class("*"@in_branch("*"@nested("* ]]
    [[ $output == *"arith.constant 3 : i32"* ]]
}

@test "decorators stack in any order, and unknown ones are ignored" {
    file k.tri <<'K'
import triton
import triton.language as tl
from project import libentry, libtuner


@libentry()
@triton.autotune(configs=[triton.Config({"B": 16}, num_warps=2)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["B"] % 2 == 0})
@triton.jit(do_not_specialize=["n"])
def k(p: "*i32", n: int, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(p + tl.arange(0, B), n + EVEN)


@libtuner(configs=[triton.Config({"B": 64})], key=[])
@triton.jit
def other(p: "*i32", B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1)
K
    tritcc k.tri -emit=ttir=-
    [[ $output == *"@k("*"end = 16"*"@other("*"end = 64"* ]]
}

@test "configs by a function, a comprehension and a loop" {
    file k.tri <<'K'
import itertools

import triton
import triton.language as tl


def configs(sizes):
    return [triton.Config({"B": b}, num_warps=w) for b, w in itertools.product(sizes, (1, 4)) if b * w > 16]


loop = []
for size in [8, 32]:
    loop.append(triton.Config({"B": size}))


@triton.autotune(configs=configs([16, 128]), key=[])
@triton.jit
def a(p: "*i32", B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1)


@triton.autotune(loop, key=[])
@triton.jit
def b(p: "*i32", B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1)
K
    tritcc k.tri -k a -emit=ttir=- -config=2
    [[ $output == *"end = 128"* ]]
    tritcc k.tri -k b -emit=ttir=- -config=1
    [[ $output == *"end = 32"* ]]
    tritcc -1 k.tri -k b -emit=ttir=- -config=2
    [[ $errors == *"has 2 configs"* ]]
}

@test "configs that ask the machine are a note" {
    file k.tri <<'K'
import torch
import triton
import triton.language as tl


def configs():
    return [triton.Config({"B": torch.cuda.get_device_properties(0).warp_size})]


@triton.autotune(configs=configs(), key=[])
@triton.jit
def k(p: "*i32", B: tl.constexpr):
    tl.store(p + tl.arange(0, B), 1)
K
    tritcc -1 k.tri -emit=ttir=-
    [[ $errors == *"k.tri:12:5: error: kernel 'k' needs types or values for: B"* ]]
    [[ $errors == *"k.tri:7:33: note:"*"'torch.cuda.get_device_properties' is not evaluated while compiling"* ]]
    tritcc k.tri -DB=64 -emit=ttir=-
}

@test "a plain global is rejected with the fix" {
    stores N <<<'N = 42'
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"a kernel cannot read the global 'N' of type 'int' [TRI-3002]"* ]]
    [[ $errors == *"k.tri:3:1: note: it is defined here"* ]]
    [[ $errors == *"write 'N = tl.constexpr(42)'"* ]]
}

@test "a syntax error in an imported file is shown there" {
    file broken.py <<<'def f(:'
    stores 'f()' <<<'from broken import f'
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"broken.py:1:7: error:"* ]]
}

@test "of an imported file those functions are read that are used" {
    file lib.py <<'K'
import triton
import triton.language as tl


def unused():
    return 1 +


class C:
    def unused(self):
        return = 1

def text():
    """ it ends
not here: ( [
    """
    a = f"{1}" + f'{"("}' + r"\"" + '#'  # a comment with a (
    b = [1,
2]
# as deep as the function
    return \
1 + len(b) \


def last():
    return 1


@triton.jit
def one(x):

    # a comment first
    if x > 7:
        return x + 1
    return x


N = tl.constexpr(text())
K
    stores 'one(N)' <<<'from lib import N, one'
    gives 3
    file bad.py <<<$'import triton\n\n\n@triton.jit\ndef f(x):\n    y = x +\n    return y\n\n\ndef g(x):\n    return * x'
    stores 'f(1)' <<<'from bad import f'
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"bad.py:6:12: error:"* ]]
    [[ $errors != *"bad.py:11"* ]]
}

@test "what functions set that nobody calls is known" {
    local global
    for global in 'global A, N' 'global N  # later' 'global  N,A'; do
        file lib.py <<<"A = N = None"$'\n\n\ndef f():\n    '"$global"$'\n    N = 1\n\n\ndef g():\n    x = """\n    global M\n    """\n\n\nM = None'
        stores '1 if N is None else 2' <<<'from lib import N'
        tritcc -1 k.tri -sig '*i32' -emit=ttir=-
        [[ $errors == *"'N' is set by a function while the program runs"* ]]
        stores '1 if M is None else 2' <<<'from lib import M'
        gives 1
    done
}

@test "files that import each other" {
    file a.py <<<$'import triton.language as tl\nfrom b import M\nN = tl.constexpr(40)'
    file b.py <<<$'import triton.language as tl\nimport a\nM = tl.constexpr(2)\nS = tl.constexpr(a.N + M)'
    stores 'S' <<<'from b import S'
    gives 42
    file a.py <<<$'from b import X\nY = X'
    file b.py <<<$'from a import Y\nX = Y'
    stores X <<<'from b import X'
    tritcc -1 k.tri -sig '*i32' -emit=ttir=-
    [[ $errors == *"error: the value of 'X' cannot be computed"* ]]
}

@test "host code that asks for the GPU is told the target" {
    cat >k.tri <<'K'
import torch
import triton
import triton.language as tl


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def width():
    target = triton.runtime.driver.active.get_current_target()
    return 256 if is_cuda() and target.arch >= 90 and torch.cuda.get_device_capability()[0] == 9 else target.warp_size


@triton.autotune(configs=[triton.Config({"B": width()}, num_warps=4)], key=[])
@triton.jit
def k(p, B: tl.constexpr):
    tl.store(p, B)
K
    for arch in sm_90:256 sm_80:32 native:1 spirv64:32; do
        tritcc k.tri -arch=${arch%:*} -config=0 -sig '*i32' -emit=ttir=-
        [[ $output == *"arith.constant ${arch#*:} : i32"* ]]
    done
}

@test "regular expressions and a version compare decide which name counts" {
    stores 'WHICH * 10000000 + VER * 10000 + SUB * 1000 + FULL * 100 + NOT * 10 + END' <<'K'
import re
from packaging.version import Version as TrueVersion


def Version(version):
    try:
        new_version = str(version)
        new_version = re.match(r"[0-9\.]{1,}", new_version)
        if new_version is None:
            raise Exception(str(version))
        new_version = new_version.group(0).rstrip(".")
        if new_version != version:
            new_version += ".dev1"
        return TrueVersion(new_version)
    except:
        raise RuntimeError("no version")


if Version(triton.__version__) >= Version("3.0.0"):
    WHICH = tl.constexpr(2)
else:
    WHICH = tl.constexpr(1)
VER = tl.constexpr(int(re.search(r"(?P<a>\d+)\.(?P<b>\d+)", "v3.6.0-rc1").group("b")) * 100 +
                   len(re.findall(r"[a-z]+", "ab 12 cd_e")))
SUB = tl.constexpr(len(re.sub(r"\s+", "", " a b  c ")))
FULL = tl.constexpr(1 if re.compile(r"(ab|a)*c?").fullmatch("abaabc") else 0)
NOT = tl.constexpr(1 if re.match(r"^x{2,3}$", "xxxx") is None else 0)
END = tl.constexpr(re.match(r"a.*?(b|\d{2,})", "axx12b").end(1))
K
    gives 26033115
}

@test "bytes are neither strings nor lists" {
    stores 'A * 1000 + B * 100 + C * 10 + D' <<'K'
def kind(x):
    return 1 if isinstance(x, bytes) else 2 if isinstance(x, str) else 3
A = tl.constexpr(kind(b"ab"))
B = tl.constexpr(kind("ab"))
C = tl.constexpr(len(bytes("abc", "utf-8")) + len(bytes()))
D = tl.constexpr(bytes(b"ab")[1] - 97)
K
    gives 1231
}

@test "an exception goes to the handler of its class; finally and raise run as in Python" {
    stores 'V[0] * 10000000 + V[1] * 1000000 + V[4] * 10000 + V[5] * 1000 + V[6] * 100 + V[7] * 10 + V[8] + V[9]' <<'K'
class MyErr(ValueError):
    pass
def f1():
    try:
        raise MyErr("x")
    except KeyError:
        return 1
    except (IndexError, ValueError):
        return 2
def f2():
    l = []
    try:
        try:
            [1][3]
        finally:
            l.append(1)
    except LookupError as e:
        l.append(2)
        if not isinstance(e, str): pass
    return len(l)
def f3():
    try:
        try:
            1 // 0
        except ZeroDivisionError as e:
            raise RuntimeError("again") from e
    except RuntimeError as e:
        return str(e)
def f4():
    try:
        try:
            raise KeyError("k")
        except KeyError:
            raise
    except Exception as e:
        return e.args[0] + repr(e)
def f5(x):
    for i in range(3):
        try:
            if i == x: continue
            if i == 2: break
        except ValueError:
            pass
        else:
            y = i
        finally:
            z = i * 10
    return y + z
def f6():
    try:
        int("q")
    except TypeError:
        return 1
    except Exception:
        return 2
def f7():
    try:
        raise NotImplementedError
    except RuntimeError:
        return 7
def f8():
    try:
        "abc".nosuch()
    except AttributeError:
        return 8
def f9():
    import re
    return re.split(r"([.+])", "2.7+cu")[0:3] == ["2", ".", "7"] and 9
def f10():
    try:
        assert False, "m"
    except AssertionError:
        return 10

V = tl.constexpr((f1(), f2(), f3() == "again", f4() == "kKeyError('k')", f5(0), f6(), f7(), f8(), f9(), f10()))
tl.static_assert(V[2] and V[3])
K
    gives 22212799
}

@test "a regular expression that takes too long, or is not known here, is no constant" {
    stores 'X' <<'K'
import re
X = tl.constexpr(1 if re.match(r"(a|a)*b", "a" * 200) else 0)
K
    tritcc -1 k.tri -sig '*i32'
    [[ $errors == *"these arguments of 're.match' are not understood"* ]]
    stores 'X' <<'K'
import re
X = tl.constexpr(1 if re.match(r"(?i:a)", "ab") else 0)
K
    tritcc -1 k.tri -sig '*i32'
    [[ $errors == *"these arguments of 're.match' are not understood"* ]]
}

@test "classes that derive are instances of their bases" {
    stores 'f() * 10 + g()' <<'K'
class Base:
    pass


class Derived(Base):
    pass


class Other:
    pass


@triton.constexpr_function
def f():
    return 3 if isinstance(Derived(), (int, Base)) else 4


@triton.constexpr_function
def g():
    return 5 if isinstance(Other(), Base) else 6
K
    gives 36
}

@test "constexpr functions ask for the target" {
    stores 'f()' <<'K'
@triton.constexpr_function
def f():
    info = tl.target_info
    return info.is_cuda() * 100 + info.cuda_capability_geq(9) * 10 + info.cuda_capability_geq(8, 0) + info.current_target().warp_size * 1000
K
    gives 32101 -arch=sm_80
    gives 32111 -arch=sm_90a
}

@test "flags of regular expressions, and the type of a value" {
    cat >flags.py <<'END'
import re
from re import IGNORECASE
import triton
import triton.language as tl
A = tl.constexpr(1 if re.match(r"abc[x-z]", "ABCy", re.I) else 0)
B = tl.constexpr(len(re.findall(r"^x$", "x\nx\ny", flags=re.M)))
C = tl.constexpr((1 if re.search(r"a.b", "a\nb", re.S) else 0) + (10 if re.search(r"a.b", "a\nb") else 0))
D = tl.constexpr(re.match(r"(a+) [ ] (?P<n> \d ) # a number", "AA 7", re.X | re.IGNORECASE).group("n"))
P = re.compile("q[^r]+", IGNORECASE)
E = tl.constexpr(len(P.findall("QQqR qr Qs")))
F = tl.constexpr(re.sub("B", "-", "abB", flags=re.IGNORECASE))
class Point: pass
def kind(x):
    if type(x) is int:
        return 1
    if type(x) == str or type(x) is Point:
        return 2
    return 3 if type(x) in (list, tuple) else 4 if x is None or type(x) is bool else 5
G = tl.constexpr(kind(7) * 100000 + kind("a") * 10000 + kind([1]) * 1000 + kind(True) * 100 + kind(Point()) * 10 + kind(0.5))
@triton.jit
def k(x):
    tl.static_print(A, B, C, D, E, F, G)
    tl.store(x, 1)
END
    tritcc -arch=sm_80 -emit=ttir=/dev/null -sig 'k(x=*fp32)' flags.py
    [[ $output$errors == "1 2 1 7 2 a-- 123425" ]]
}
