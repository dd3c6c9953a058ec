class = 1
def lambda(): pass
x.import = 2
f(if=1)
