if x:
y = 1
while y:
