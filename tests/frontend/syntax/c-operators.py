x = a && b
y = a || !b
z = a <> b
