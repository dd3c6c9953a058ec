a + b * c ** -d ** e
(a + b) * c
not a or b and c
a < b <= c is not d not in e
a if b else c if d else e
lambda x, /, y=1, *z, k, **w: x
f(a, *b, k=1, **c)
f(x for x in y if z)
x[1], x[1:2, ::3, ...], x[*a], x[:, None]
[a, *b], (a,), (), {1, 2}, {"k": 1, **d}
[x async for x in y for z in x if z if w]
{k: v for k, v in d}
(x := 1)
0x1F, 1_000, 0b11, 99999999999999999999, 1.5e-3, 2j
'a' "b" r'\n' '\u00e9\n', b'\x00' b"\377"
f'{a!r:>{w}}{{}} {b=} {c:%Y}' 'tail'
None, True, False, ...
a.b.c(1)[2].d
-x, +x, ~x
(yield_, (await_))
