# Every rule of the language that a kernel can break: the code, the words and where they point. The whole message of
# each, with carets, notes and the chain of calls, is in errors/; UPDATE_GOLDEN=1 rewrites it.
load ../helpers

# whole_message: the last messages are those in errors/, in the file named by the test's sentence.
whole_message() {
    local name=${BATS_TEST_DESCRIPTION//[^A-Za-z0-9]/-}
    golden "$SRCDIR/tests/frontend/errors/$name.err"
}

# rejects CODE TEXT: the kernel body on stdin is rejected with this code and text, and exit status 1.
rejects() {
    {
        cat <<'EOF'
import triton
import triton.language as tl

LIMIT = 100


def host(x):
    return x


@triton.jit
def helper(a, b):
    return a + b


@triton.jit
def two_types(a):
    if a > 1:
        return 1.5
    return a


@triton.jit
def forever(a):
    return forever(a)


@triton.jit
def k(p, c, n, B: tl.constexpr):
EOF
        sed 's/^/    /'
    } >k.tri
    tritcc -1 -emit=ttir=- -arch=sm_80 -sig 'k(p=*fp32, c=*kfp32, n=i32, B=64)' k.tri
    [[ $errors == *"error: "*"[TRI-$1]"* ]]
    [[ $errors == *"$2"* ]]
    [[ $errors == k.tri:* ]]
    whole_message
}

@test "a pointer where a descriptor is meant" {
    rejects 3003 "has no attribute 'load'" <<'EOF'
x = p.load([0, 0])
EOF
}

@test "a name that is bound nowhere" {
    rejects 3001 "'y' is not defined" <<'EOF'
x = y + 1
EOF
}

@test "a misspelt name gets the near one" {
    rejects 3001 "'offset' is not defined" <<'EOF'
offsets = tl.arange(0, 16)
x = offset + 1
EOF
}

@test "a name bound in one branch only" {
    rejects 3001 "'z' is not defined here" <<'EOF'
if n > 1:
    z = 1
x = z
EOF
}

@test "a name first bound in a loop" {
    rejects 3001 "'z' is not defined here" <<'EOF'
for i in range(n):
    z = i
x = z
EOF
}

@test "a Python function that kernels lack" {
    rejects 3001 "Python's 'abs' is not available" <<'EOF'
x = abs(n)
EOF
}

@test "a plain global" {
    rejects 3002 "LIMIT" <<'EOF'
x = LIMIT + n
EOF
}

@test "an attribute that tensors lack" {
    rejects 3003 "has no attribute 'foo'" <<'EOF'
x = n.foo
EOF
}

@test "a library function that does not exist" {
    rejects 3003 "cidv" <<'EOF'
x = tl.cidv(n, 2)
EOF
}

@test "a missing argument" {
    rejects 3004 "argument 'value' of 'store' is missing" <<'EOF'
tl.store(p)
EOF
}

@test "an unknown keyword" {
    rejects 3004 "has no parameter 'msk'" <<'EOF'
tl.load(p, msk=n > 1)
EOF
}

@test "too many arguments" {
    rejects 3004 "takes 1 positional argument" <<'EOF'
tl.exp(1.0, 2.0)
EOF
}

@test "a missing argument of a helper" {
    rejects 3004 "argument 'b' of 'helper' is missing" <<'EOF'
helper(n)
EOF
}

@test "two pointers added" {
    rejects 3005 "two pointers" <<'EOF'
x = p + p
EOF
}

@test "a pointer with a float" {
    rejects 3005 "incompatible operands" <<'EOF'
x = p + 1.5
EOF
}

@test "an int operator on floats" {
    rejects 3005 "operator '&' does not take" <<'EOF'
x = 1.5
y = x & n
EOF
}

@test "a power of tensors" {
    rejects 3005 "operator '**'" <<'EOF'
x = n ** 2
EOF
}

@test "a comparison with None by ==" {
    rejects 3005 "compared with None" <<'EOF'
x = n == None
EOF
}

@test "strings in arithmetic" {
    rejects 3005 "operator '+'" <<'EOF'
x = n + 'a'
EOF
}

@test "division of mixed signedness" {
    rejects 3006 "one signedness" <<'EOF'
x = n // n.to(tl.uint32)
EOF
}

@test "a number out of range of its tensor" {
    rejects 3007 "out of range for type 'int8'" <<'EOF'
x = n.to(tl.int8) + 300
EOF
}

@test "a negative number with an unsigned tensor" {
    rejects 3007 "unsigned type 'uint32'" <<'EOF'
x = n.to(tl.uint32) + -1
EOF
}

@test "a string stored in a variable" {
    rejects 3008 "can not be stored in a variable" <<'EOF'
x = 'abc'
EOF
}

@test "a fractional constant of an int type" {
    rejects 3008 "can not be a constant of type" <<'EOF'
x = tl.full((16,), 0.5, tl.int32)
EOF
}

@test "shapes that do not broadcast" {
    rejects 3009 "dimension 0 is 16 on the left and 32 on the right" <<'EOF'
x = tl.arange(0, 16) + tl.arange(0, 32)
EOF
}

@test "a store whose pointer would broadcast" {
    rejects 3009 "does not broadcast its pointer" <<'EOF'
o = tl.arange(0, 16)
tl.store(p + o[:, None], (o[:, None] + o[None, :]).to(tl.float32))
EOF
}

@test "a scalar pointer with a block value" {
    rejects 3009 "the pointer is a scalar" <<'EOF'
tl.store(p, tl.zeros((16,), tl.float32))
EOF
}

@test "a reshape to another size" {
    rejects 3009 "can not be reshaped" <<'EOF'
x = tl.reshape(tl.arange(0, 16), (8, 4))
EOF
}

@test "a shape that is no power of two" {
    rejects 3010 "must be a power of two" <<'EOF'
x = tl.zeros((48,), tl.float32)
EOF
}

@test "a range that is no power of two" {
    rejects 3010 "use tl.arange(0, 64)" <<'EOF'
x = tl.arange(0, 48)
EOF
}

@test "a block that is too large" {
    rejects 3010 "more than 1048576 elements" <<'EOF'
x = tl.zeros((2048, 1024), tl.float32)
EOF
}

@test "a shape that decayed to a tensor" {
    rejects 3010 "must be a compile-time integer" <<'EOF'
s = 16
x = tl.zeros((s,), tl.float32)
EOF
}

@test "an integer beyond 64 bits" {
    rejects 3011 "does not fit in 64 bits" <<'EOF'
x = 1 << 70
EOF
}

@test "exp of a half" {
    rejects 3012 "needs elements of type fp32 or fp64" <<'EOF'
x = tl.exp(n.to(tl.float16))
EOF
}

@test "a mask that is no bool" {
    rejects 3012 "a mask must be of type int1" <<'EOF'
x = tl.load(p, mask=n)
EOF
}

@test "an atomic on small elements" {
    rejects 3012 "does not support elements of type 'int8'" <<'EOF'
tl.atomic_add(p.to(tl.pointer_type(tl.int8)), 1)
EOF
}

@test "a dot of different types" {
    rejects 3012 "one element type" <<'EOF'
x = tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))
EOF
}

@test "a cas that would need a cast" {
    rejects 3012 "neither casts nor broadcasts" <<'EOF'
x = tl.atomic_cas(p, 1, 2)
EOF
}

@test "an axis known only at run time" {
    rejects 3013 "must be a compile-time integer" <<'EOF'
x = tl.sum(tl.arange(0, 16), axis=n)
EOF
}

@test "arange of a tensor" {
    rejects 3013 "must be a compile-time integer" <<'EOF'
x = tl.arange(0, n)
EOF
}

@test "int() of a tensor" {
    rejects 3013 "works on compile-time values" <<'EOF'
x = int(n)
EOF
}

@test "a load from an integer" {
    rejects 3014 "needs a pointer" <<'EOF'
x = tl.load(n)
EOF
}

@test "a store to constant data" {
    rejects 3014 "constant data" <<'EOF'
tl.store(c, 1.0)
EOF
}

@test "an atomic on constant data" {
    rejects 3014 "constant data" <<'EOF'
tl.atomic_add(c, 1.0)
EOF
}

@test "a bitcast of another width" {
    rejects 3015 "equal widths" <<'EOF'
x = n.to(tl.int64, bitcast=True)
EOF
}

@test "a narrow pointer cast" {
    rejects 3015 "a pointer converts only to" <<'EOF'
x = p.to(tl.int32)
EOF
}

@test "rounding of a widening cast" {
    rejects 3015 "only for narrowing" <<'EOF'
x = 1.5
y = x.to(tl.float64, fp_downcast_rounding='rtz')
EOF
}

@test "a condition of several elements" {
    rejects 3016 "a condition must be a scalar" <<'EOF'
if tl.arange(0, 16) > 1:
    pass
EOF
}

@test "a condition that is a string" {
    rejects 3016 "must be a bool, an int, None" <<'EOF'
if 'a':
    pass
EOF
}

@test "and of integers" {
    rejects 3016 "needs operands of type int1" <<'EOF'
if n and n > 1:
    pass
EOF
}

@test "while True" {
    rejects 3016 "must be a runtime value" <<'EOF'
while True:
    pass
EOF
}

@test "an if that changes a type" {
    rejects 3017 "can not change a variable's type" <<'EOF'
x = 1.0
if n > 1:
    x = n
EOF
}

@test "branches that disagree" {
    rejects 3017 "in the else branch but" <<'EOF'
if n > 1:
    x = 1.0
else:
    x = 2
EOF
}

@test "a ternary of two types" {
    rejects 3017 "have different types" <<'EOF'
x = 1 if n > 1 else 2.0
EOF
}

@test "a loop that changes a type" {
    rejects 3018 "can not change its type" <<'EOF'
x = 0
for i in range(n):
    x += 1.5
EOF
}

@test "a float loop bound" {
    rejects 3019 "must be an integer" <<'EOF'
for i in range(1.5):
    pass
EOF
}

@test "a block as loop bound" {
    rejects 3019 "must be a scalar" <<'EOF'
for i in range(tl.arange(0, 16)):
    pass
EOF
}

@test "a step of zero" {
    rejects 3019 "must not be zero" <<'EOF'
for i in range(0, n, 0):
    pass
EOF
}

@test "an unknown cache modifier" {
    rejects 3021 "'.xx' is no cache modifier of a load" <<'EOF'
x = tl.load(p, cache_modifier='.xx')
EOF
}

@test "an unknown eviction policy" {
    rejects 3021 "it can be 'evict_first'" <<'EOF'
x = tl.load(p, eviction_policy='never')
EOF
}

@test "an unknown memory order" {
    rejects 3021 "is no memory order" <<'EOF'
tl.atomic_add(p, 1.0, sem='soon')
EOF
}

@test "a grid axis of 3" {
    rejects 3022 "is 0, 1 or 2, not 3" <<'EOF'
x = tl.program_id(3)
EOF
}

@test "a reduction over a missing axis" {
    rejects 3022 "axis 1 of a value with 1 axes" <<'EOF'
x = tl.sum(tl.arange(0, 16), axis=1)
EOF
}

@test "dims that are no permutation" {
    rejects 3022 "is no permutation" <<'EOF'
x = tl.permute(tl.zeros((16, 16), tl.float32), (0, 0))
EOF
}

@test "a tuple index out of range" {
    rejects 3022 "index 5 of a tuple of 2 elements" <<'EOF'
x = (n, n)[5]
EOF
}

@test "returns of two types" {
    rejects 3023 "another return gives" <<'EOF'
two_types(n)
EOF
}

@test "break" {
    rejects 4001 "'break' is not supported" <<'EOF'
for i in range(n):
    break
EOF
}

@test "an assignment to an item" {
    rejects 4001 "items can not be assigned" <<'EOF'
x = tl.arange(0, 16)
x[0] = 1
EOF
}

@test "an assignment to an attribute" {
    rejects 4001 "attributes can not be assigned" <<'EOF'
n.x = 1
EOF
}

@test "several targets" {
    rejects 4001 "several targets" <<'EOF'
x = y = 1
EOF
}

@test "a lambda" {
    rejects 4001 "a lambda is not supported" <<'EOF'
f = lambda a: a
EOF
}

@test "a dict" {
    rejects 4001 "a dict is not supported" <<'EOF'
f = {1: 2}
EOF
}

@test "try" {
    rejects 4001 "a 'try' statement is not supported" <<'EOF'
try:
    pass
except ValueError:
    pass
EOF
}

@test "a nested function" {
    rejects 4001 "move 'f' to module level" <<'EOF'
def f():
    pass
EOF
}

@test "a chained comparison" {
    rejects 4001 "several comparisons at once" <<'EOF'
x = 0 < n < 5
EOF
}

@test "in" {
    rejects 4001 "'in' is not supported" <<'EOF'
x = n in (1, 2)
EOF
}

@test "an integer index of a tensor" {
    rejects 4001 "indexed only with ':' and None" <<'EOF'
x = tl.arange(0, 16)[3]
EOF
}

@test "a call of a Python function" {
    rejects 3002 "plain Python function" <<'EOF'
host(n)
EOF
}

@test "a call of a type" {
    rejects 4001 "a type can not be called" <<'EOF'
x = tl.float32(1.0)
EOF
}

@test "matrix multiplication by @" {
    rejects 4001 "use tl.dot" <<'EOF'
x = n @ n
EOF
}

@test "raise that is reached" {
    rejects 4001 "'raise' was reached" <<'EOF'
raise ValueError('x')
EOF
}

@test "a false static assertion" {
    rejects 4002 "static assertion failed: too small" <<'EOF'
tl.static_assert(B > 64, 'too small')
EOF
}

@test "a static assertion on a runtime value" {
    rejects 4002 "compile-time bool" <<'EOF'
tl.static_assert(n > 1)
EOF
}

@test "a constexpr assigned twice" {
    rejects 4003 "already defined" <<'EOF'
x: tl.constexpr = 1
x: tl.constexpr = 2
EOF
}

@test "return inside a loop" {
    rejects 4004 "inside a loop" <<'EOF'
for i in range(n):
    if i > 3:
        return
EOF
}

@test "a kernel that returns a value" {
    rejects 4005 "can not return a value" <<'EOF'
return n
EOF
}

@test "an advance whose result is dropped" {
    rejects 4006 "is not used" <<'EOF'
b = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
tl.advance(b, (16,))
EOF
}

@test "recursion without end" {
    rejects 4007 "the recursion has no end" <<'EOF'
forever(n)
EOF
}

@test "a loop over a tuple" {
    rejects 4008 "can be iterated" <<'EOF'
for i in (1, 2):
    pass
EOF
}

@test "too many names" {
    rejects 4009 "3 names for a tuple of 2 elements" <<'EOF'
a, b, c = (n, n)
EOF
}

@test "independent errors are told in one run" {
    cat >k.tri <<'EOF'
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 48)
    y = x + 1
    z = n // n.to(tl.uint32)
    tl.store(n, 1.0)
EOF
    tritcc -1 -emit=ttir=- -sig 'k(p=*fp32, n=i32)' k.tri
    [ "$(grep -c 'error: ' .err)" -eq 3 ]
    whole_message
}

@test "an error in a helper shows the calls that led there" {
    cat >k.tri <<'EOF'
import triton
import triton.language as tl


@triton.jit
def inner(x):
    return tl.exp(x)


@triton.jit
def outer(x):
    return inner(x) + 1


@triton.jit
def k(p, n):
    tl.store(p, outer(n))
EOF
    tritcc -1 -emit=ttir=- -sig 'k(p=*fp32, n=i32)' k.tri
    [[ $errors == k.tri:7:19:\ error:* ]]
    [[ $errors == *"k.tri:12:12: note: in the call of 'inner' here"* ]]
    [[ $errors == *"k.tri:17:17: note: in the call of 'outer' here"* ]]
    whole_message
}

# refuses CODE TEXT TYPES: the same for the module on stdin.
refuses() {
    { printf 'import triton\nimport triton.language as tl\n\n\n' && cat; } >k.tri
    tritcc -1 -emit=ttir=- -arch=sm_80 -sig "$3" k.tri
    [[ $errors == *"error: "*"[TRI-$1]"* && $errors == *"$2"* ]]
    whole_message
}

@test "a block given to a function that is not inlined" {
    refuses 4001 "noinline" 'k(p=*fp32)' <<'EOF'
@triton.jit(noinline=True)
def helper(x):
    return x + 1


@triton.jit
def k(p):
    tl.store(p, tl.sum(helper(tl.arange(0, 16))))
EOF
}

@test "a tensor in an f-string" {
    rejects 3013 "f-string" <<'EOF'
tl.static_print(f"n is {n}")
EOF
}

@test "a starred target" {
    rejects 4001 "starred" <<'EOF'
a, *b = (n, n, n)
EOF
}

@test "a static assertion without a condition" {
    rejects 3004 "static_assert" <<'EOF'
tl.static_assert()
EOF
}

@test "a static assertion on an integer" {
    rejects 4002 "bool" <<'EOF'
tl.static_assert(B)
EOF
}

@test "a with statement" {
    rejects 4001 "with" <<'EOF'
with tl.foo(n) as x:
    pass
EOF
}

@test "a return inside a with statement" {
    rejects 4001 "with" <<'EOF'
with n:
    return
EOF
}

@test "fp8 that the target lacks" {
    refuses 3020 "sm_89" 'k(p=*fp8e4nv)' <<'EOF'
@triton.jit
def k(p):
    tl.store(p, tl.load(p))
EOF
}

@test "a parameter that is constexpr and not to be specialised" {
    refuses 3030 "do_not_specialize" 'k(p=*fp32, n=3)' <<'EOF'
@triton.jit(do_not_specialize=["n"])
def k(p, n: tl.constexpr):
    tl.store(p, n)
EOF
}

@test "a result that must be used" {
    refuses 4006 "look at it" 'k(p=*fp32)' <<'EOF'
@triton.must_use_result("look at it")
@triton.jit
def helper(x):
    return x + 1


@triton.jit
def k(p):
    helper(1)
EOF
}

@test "returns of different types in a helper" {
    refuses 3023 "another return" 'k(p=*fp32, n=i32)' <<'EOF'
@triton.jit
def helper(a, b):
    if a > 3:
        return b
    return b.to(tl.float64)


@triton.jit
def k(p, n):
    tl.store(p, helper(n, 1.0 * n))
EOF
}

@test "a shape that depends on an argument" {
    rejects 3010 "compile-time" <<'EOF'
x = tl.zeros((n, B), tl.float32)
EOF
}

@test "a tuple whose element changes its type in a loop" {
    rejects 3018 "loop" <<'EOF'
t = (n, 1.0)
for i in range(n):
    t = (t[1], t[0])
EOF
}

@test "a block in the condition of a loop" {
    rejects 3016 "scalar" <<'EOF'
x = tl.arange(0, B)
while x < n:
    x += 1
EOF
}

@test "an error three calls down, beside another one" {
    refuses 3005 "operator" 'k(p=*fp32, n=i32)' <<'EOF'
@triton.jit
def a(x, y):
    return x & y


@triton.jit
def b(x):
    return a(x, 1.5)


@triton.jit
def c(x):
    z = b(x)
    return z


@triton.jit
def k(p, n):
    w = undefined_name
    tl.store(p, c(n))
EOF
}

# rejects_call CALL TEXT: the same for a kernel that makes an aggregate or a named tuple.
rejects_call() {
    sed "s/CALL/$1/" >k.tri <<'EOF'
import triton
import triton.language as tl
from collections import namedtuple
from typing import NamedTuple

Point = namedtuple("Point", ["x", "y"])


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor = 2


@tl.core._aggregate
class Box:
    value: tl.tensor

    @triton.constexpr_function
    def __init__(self, value, scale=1):
        self.value = value


@triton.jit
def k(p, n):
    b = CALL
    tl.store(p, n)
EOF
    tritcc -1 -emit=ttir=- -arch=sm_80 -sig 'k(p=*i32, n=i32)' k.tri
    [[ $errors == "k.tri:"*"error: $2 [TRI-3004]"* ]]
}

@test "a call of an aggregate or named tuple that does not fit" {
    rejects_call 'Box(n, 1, 3)' "'Box' takes 2 positional arguments but 3 are given"
    rejects_call 'Box(n, other=3)' "'Box' has no parameter 'other'"
    rejects_call 'Box(n, value=3)' "'Box' is given its parameter 'value' twice"
    rejects_call 'Box()' "argument 'value' of 'Box' is missing"
    rejects_call 'Point(n, n, n)' "too many values for class 'Point'"
    rejects_call 'Pair(n, n, n)' "too many values for class 'Pair'"
    rejects_call 'Pair(n, third=n)' "class 'Pair' has no field 'third'"
    rejects_call 'Pair(n, first=n)' "a field of class 'Pair' is given twice: 'first'"
    rejects_call 'Pair()' "field 'first' of class 'Pair' is missing"
}

@test "a call of a named tuple in host code that does not fit" {
    for call in 'Point(1, 2, 3)' 'Point(1, z=2)' 'Point(1, x=2)' 'Point(1)'; do
        printf '%s\n' 'import triton' 'import triton.language as tl' 'from collections import namedtuple' \
            'Point = namedtuple("Point", ["x", "y"])' "P = tl.constexpr($call.x)" '@triton.jit' 'def k(p):' '    tl.store(p, P)' >k.tri
        tritcc -1 -emit=ttir=- -arch=sm_80 -sig 'k(p=*i32)' k.tri
        case $call in
        *3*) [[ $errors == *"there are too many values for 'Point'"* ]] ;;
        *z*) [[ $errors == *"'Point' has no field 'z'"* ]] ;;
        *x*) [[ $errors == *"the field 'x' of 'Point' is given twice"* ]] ;;
        *) [[ $errors == *"the field 'y' of 'Point' is missing"* ]] ;;
        esac
    done
}
