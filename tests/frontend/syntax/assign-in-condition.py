if x = 1:
    pass
while (y = 2):
    pass
