def f():
    a = g(1
    b = 2

def h():
    c = [1,
    return c
