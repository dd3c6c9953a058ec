"""What the plug-in is told to do, and the words for what goes wrong."""

import os
import threading

from .. import errors

SUPPORTED = ((3, 6), (3, 9))
FRONTENDS = ("tritcc", "triton")
LAUNCHERS = ("tritcc", "triton")


class UnsupportedTriton(errors.Error, ImportError):
    """The Triton that is installed is none that the plug-in knows."""


class TritccWarning(UserWarning):
    """A warning of the compiler about a kernel."""


class Refused(errors.Error):
    """tritcc does not compile this kernel: `reason` is a line, `cause` the exception behind it, or None."""

    def __init__(self, reason, cause=None):
        super().__init__(reason)
        self.reason, self.cause = reason, cause


class State:
    def __init__(self):
        self.is_installed = False
        self.strict = _is_on(os.environ.get("TRITCC_STRICT"))
        self.frontend = os.environ.get("TRITCC_FRONTEND") or "tritcc"
        self.warnings = not os.environ.get("TRITCC_WARNINGS") or _is_on(os.environ.get("TRITCC_WARNINGS"))
        self.options = tuple((os.environ.get("TRITCC_OPTIONS") or "").split())
        self.launcher = os.environ.get("TRITCC_LAUNCHER") or "tritcc"
        self.texts = _is_on(os.environ.get("TRITCC_TEXTS"))
        self.version = None
        self.local = threading.local()

    def key(self):
        """What caches of compiled kernels must ask for."""
        from .. import _library

        return "-".join(["tritcc", _library.identity().replace(" ", "-"), self.frontend, *self.options])


def _is_on(word):
    return (word or "0").strip().lower() not in ("", "0", "no", "off", "false")


current = State()


def _check(name, value, known):
    if value is not None and value not in known:
        raise ValueError(f"{name} is one of {', '.join(known)}, not {value!r}")


def told(strict=None, frontend=None, warnings=None, options=None, launcher=None, texts=None):
    """Takes what install() was given, and leaves it in the environment for processes that this one starts."""
    _check("frontend", frontend, FRONTENDS)
    _check("launcher", launcher, LAUNCHERS)
    if strict is not None:
        current.strict = bool(strict)
    if frontend is not None:
        current.frontend = frontend
    if warnings is not None:
        current.warnings = bool(warnings)
    if launcher is not None:
        current.launcher = launcher
    if texts is not None:
        current.texts = bool(texts)
    if options is not None:
        current.options = tuple([options] if isinstance(options, str) else options)
    os.environ.update(
        {
            "TRITCC": "1",
            "TRITCC_STRICT": str(int(current.strict)),
            "TRITCC_FRONTEND": current.frontend,
            "TRITCC_WARNINGS": str(int(current.warnings)),
            "TRITCC_LAUNCHER": current.launcher,
            "TRITCC_TEXTS": str(int(current.texts)),
            "TRITCC_OPTIONS": " ".join(current.options),
        }
    )


def check_version(text):
    """(major, minor) of a Triton that is known, or UnsupportedTriton."""
    try:
        version = tuple(int(word) for word in text.split(".")[:2])
    except ValueError:
        version = (0, 0)
    if not SUPPORTED[0] <= version <= SUPPORTED[1]:
        low, high = (".".join(map(str, v)) for v in SUPPORTED)
        raise UnsupportedTriton(
            f"tritcc's plug-in works with Triton {low} to {high}, and this is Triton {text}: install one of these, or another "
            "tritcc"
        )
    return version
