try:
    pass
x = 1
try:
    pass
except:
    pass
except A:
    pass
try:
    pass
except A, B:
    pass
try:
    pass
except A:
    pass
except* B:
    pass
