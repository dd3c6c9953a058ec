def f(a, a): pass
def g(a=1, b): pass
def h(*): pass
def i(**k, a): pass
def j(/, a): pass
def k(a, *, **k): pass
def l(*a, *b): pass
def m(a, b=): pass
