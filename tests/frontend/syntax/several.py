def f(x:
    return x

def g(y)
    z = y +
    return z z

class C:
    a = [1, 2
    b = 'open
