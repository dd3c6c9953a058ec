x = 1 +
y = * 2
z = a if b
