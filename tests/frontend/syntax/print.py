print "hello"
exec x
