match x:
    case 1 + a:
        pass
    case {a: 1}:
        pass
