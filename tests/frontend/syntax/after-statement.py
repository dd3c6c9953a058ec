import a b
pass pass
x = 1 y = 2
