if x:
	y = f(	1, 2 3)
