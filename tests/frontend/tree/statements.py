import a.b as c, d
from ..e import (f as g, h)
from . import i
x = y = 1, 2
x += 1; y: int = 2; z: "str"
(a, *b), [c] = d
del a, b[0]
assert a, "m"
global g1, g2
if a:
    pass
elif b: pass
else:
    raise A from B
for i, j in k:
    continue
else:
    break_ = 1
while a: break
try:
    pass
except (A, B) as e:
    pass
except:
    pass
else:
    pass
finally:
    pass
try: pass
except* E: pass
with a as b, (c): pass
with (a as b, c): pass


@dec
@dec2(1)
async def f[T: int, *Ts, **P](a, /, b: int = 1, *args, c, d=2, **kw) -> int:
    """Doc."""
    async with a: await b
    async for x in y: yield x
    nonlocal_ = 1
    return


class C[T](B, metaclass=M):
    x = 1
    def m(self): return


type A[T] = list[T]
match x, y:
    case 1 | -2.5 | "s" | None: pass
    case [a, *_, b] if c: pass
    case {"k": v, **rest}: pass
    case P(x, y=2) as p: pass
    case a.b: pass
    case (_): pass
    case *a, b: pass
match = case = type = 1
