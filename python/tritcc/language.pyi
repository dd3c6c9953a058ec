from typing import Any

from . import Constexpr

class constexpr(Constexpr): ...

def __getattr__(name: str) -> Any: ...
