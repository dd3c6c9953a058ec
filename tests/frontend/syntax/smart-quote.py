x = “abc”
