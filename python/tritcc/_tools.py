"""Programs that the compiler runs: ptxas, as Python packages bring it where no toolkit is installed."""

import importlib.util
import os
import shutil

# (package, path in it): of Triton's own wheel, and of NVIDIA's
_PLACES = (("triton", "backends/nvidia/bin/ptxas"), ("nvidia.cuda_nvcc", "bin/ptxas"), ("nvidia.cu13", "bin/ptxas"))


def _in_packages():
    for package, path in _PLACES:
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            continue
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if os.access(os.path.join(folder, path), os.X_OK):
                return os.path.join(folder, path)
    return None


def _is_found():
    """Does the compiler find one by itself? It looks in CUDA_HOME, PATH and /usr/local/cuda."""
    home = os.environ.get("CUDA_HOME")
    return bool(
        home
        and os.path.exists(os.path.join(home, "bin/ptxas"))
        or shutil.which("ptxas")
        or os.path.exists("/usr/local/cuda/bin/ptxas")
    )


def find_ptxas():
    """A ptxas that the compiler would not find by itself, or None."""
    return None if _is_found() else _in_packages()


def has_ptxas():
    return _is_found() or _in_packages() is not None


def with_ptxas(words):
    """The words of a command line, with -ptxas where none of them says one and the compiler would find none."""
    if any(w.lstrip("-").startswith(("ptxas", "cuda-path")) for w in words):
        return words
    found = find_ptxas()
    return [*words, "-ptxas=" + found] if found else words
