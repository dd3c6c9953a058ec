"""`python -m tritcc`, and the `tritcc` of the wheel: the driver."""

import os
import sys

from . import _library


def driver():
    """The thin driver of the wheel, or the program of the build that this package stands in."""
    beside = os.path.join(os.path.dirname(_library.path()), "tritcc")
    if os.access(beside, os.X_OK) and not os.path.isdir(beside):
        return beside
    import shutil

    found = shutil.which("tritcc")
    if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        sys.exit("tritcc: the driver was not found beside the library; 'make' builds it")
    return found


def main():
    program = driver()
    os.execv(program, ["tritcc", *sys.argv[1:]])


if __name__ == "__main__":
    main()
