import
from x import
from x import a,
import a as b.c
from . import (a, b

def f():
    from x import *
