return 1
break
continue
yield 1
nonlocal x
await f()
class C:
    return 2
def f():
    await g()
    async with x: pass
