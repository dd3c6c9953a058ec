x = a b
return_ = 1 2
