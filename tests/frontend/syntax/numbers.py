a = 0123
b = 1__0
c = 0xg
d = 0b12
e = 1abc
f = 1_
g = 0o8
h = 1.5_e3
