f(a,
  b
  c)
