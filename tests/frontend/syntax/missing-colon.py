if x == 1
    y = 1
for i in range(3)
    pass
def f(x)
    return x
class C(B)
    pass
