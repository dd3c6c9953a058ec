else:
    pass
x = 1
except A:
    pass
elif x:
    pass
finally:
    pass
