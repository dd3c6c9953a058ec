@a
x = 1
@b c
def f(): pass
