f(x) = 1
1 = x
a + b = c
None = 1
(a, 1) = c
x + 1 += 2
(a, b): int = 1
for f() in y: pass
del f(x)
*a = 1
(x for x in y) = 1
lambda: 1 = 2
