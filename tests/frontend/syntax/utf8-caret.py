größe = naïve("日本") 1
