"""Puts libtritcc and a thin driver into the wheel: of TRITCC_BUILD, or of the build above this folder, which is brought up
to date, or else of one that is made in build/tritcc beside this file."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from setuptools.errors import ExecError

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUT = os.path.join(HERE, "build")
SONAME = "libtritcc.so.0"
# What every system has that the tag names (PEP 600).
ALLOWED = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libz.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
}


def version():
    with open(os.path.join(ROOT, "configure.ac")) as file:
        return re.search(r"AC_INIT\(\[tritcc\], \[([^]]+)\]\)", file.read()).group(1)


def run(command, folder=None):
    """Runs a step of the build without a word. The last lines of one that fails are the error, the whole is in a log."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise ExecError(f"cannot run '{command[0]}': {error.strerror}") from None
    if done.returncode:
        os.makedirs(OUT, exist_ok=True)
        log = os.path.join(OUT, "log")
        with open(log, "w") as out:
            out.write(done.stdout + done.stderr)
        last = "\n".join(done.stderr.strip().split("\n")[-12:])
        raise ExecError(f"'{' '.join(command)}' has failed (all it said is in {log}):\n{last}")


def make(folder):
    """A folder that is configured, with its library made where it is not there or older than its sources."""
    run(["make", f"-j{len(os.sched_getaffinity(0))}", SONAME], folder)
    return folder


@functools.lru_cache
def build():
    """The folder of a finished build."""
    told = os.environ.get("TRITCC_BUILD")
    if told and not os.path.exists(os.path.join(told, SONAME)):
        raise ExecError(f"TRITCC_BUILD={told}: there is no {SONAME} ('make lib' builds it)")
    if told:
        return told
    if os.path.exists(os.path.join(ROOT, "Makefile")) and shutil.which("make"):
        return make(ROOT)
    if os.path.exists(os.path.join(ROOT, SONAME)):
        return ROOT
    folder = os.path.join(OUT, "tritcc")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "Makefile")):
        run([os.path.join(ROOT, "configure"), "-q"], folder)
    return make(folder)


def needed(library):
    """(libraries that it needs, the newest glibc whose symbols it asks for), or None where readelf cannot tell."""
    try:
        text = subprocess.run(["readelf", "-dVW", library], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    versions = [int(v) for v in re.findall(r"GLIBC_2\.(\d+)", text)]
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", text)), max(versions, default=17)


class Build(build_py):
    def run(self):
        finished = os.path.join(build(), SONAME)
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier version had
        super().run()
        target = os.path.join(self.build_lib, "tritcc", "_lib")
        os.makedirs(target, exist_ok=True)
        library = os.path.join(target, SONAME)
        shutil.copyfile(finished, library)
        with open(library, "rb") as file, open(os.path.join(target, "BUILD"), "w") as stamp:
            stamp.write(hashlib.sha256(file.read()).hexdigest()[:16] + "\n")
        compiler = [*os.environ.get("CC", "cc").split(), "-O2", "-s"]
        include = ["-I", os.path.join(ROOT, "include")]
        thin = [*include, os.path.join(HERE, "thin.c"), library, "-Wl,-rpath,$ORIGIN"]
        run([*compiler, *thin, "-o", os.path.join(target, "tritcc")])
        launch = ["-shared", "-fPIC", "-fvisibility=hidden", os.path.join(HERE, "launch.c"), "-ldl"]
        run([*compiler, *launch, "-o", os.path.join(target, "launch.so")])


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        """One wheel for every Python of the platform; 'manylinux' where it needs nothing but glibc and zlib."""
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        facts = needed(os.path.join(build(), SONAME))
        if platform.startswith("linux_") and facts and facts[0] <= ALLOWED:
            platform = platform.replace("linux_", f"manylinux_2_{facts[1]}_", 1)
        return "py3", "none", platform


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
