"""A package of AOTInductor's, and a C++ program that runs it: `make_package`, `build_program`, `run_program`.

    python aoti.py cpu|cuda [triton|tritcc]...

says what becomes of the program with kernels of each compiler, and, of one that a signal ends, where: by gdb or cuda-gdb."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = ((512, 384), (384, 256))


def inputs(torch, device):
    """What the program makes, too."""
    return tuple(
        (torch.arange(r * c, dtype=torch.float32, device=device) / (r * c)).reshape(r, c) for r, c in SHAPES
    )


def model(torch):
    class Model(torch.nn.Module):
        def forward(self, x, y):
            z = torch.softmax(x @ y, -1)
            return torch.nn.functional.gelu(z * 3 - 1), torch.nn.functional.layer_norm(x, x.shape[1:]), z.cumsum(0)

    return Model()


def make_package(torch, device, path):
    """Writes the package."""
    exported = torch.export.export(model(torch), inputs(torch, device))
    return torch._inductor.aoti_compile_and_package(exported, package_path=path)


def wanted(torch, device):
    return [float(o.double().abs().mean()) for o in model(torch)(*inputs(torch, device))]


def build_program(torch, path):
    """Compiles aoti.cpp against the torch that is installed."""
    from torch.utils import cpp_extension

    libraries = cpp_extension.library_paths()
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O0", os.path.join(HERE, "aoti.cpp"), "-o", path]
    command += [f"-I{folder}" for folder in cpp_extension.include_paths()]
    for folder in libraries:
        command += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
    names = ["torch", "torch_cpu", "c10"]
    names += [n for n in ("torch_cuda", "c10_cuda") if torch.version.cuda]
    # torch's libraries share one C++ library; a compiler that puts another into the program ends in a fault of std::regex
    names.append(":libstdc++.so.6")
    command += ["-Wl,--no-as-needed", *[f"-l{name}" for name in names], "-Wl,--allow-shlib-undefined"]
    command.append(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}")
    subprocess.run(command, check=True)


def run_program(program, package, device):
    """The numbers that it prints."""
    command = [program, package, device, *[f"{rows},{columns}" for rows, columns in SHAPES]]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        where = backtrace(command) if run.returncode < 0 else ""
        raise AssertionError(f"{program}: exit {run.returncode}\n{run.stdout}{run.stderr}{where}")
    return [float(line) for line in run.stdout.split()]


def backtrace(command):
    """Where a program ends that a signal ends, as far as there is a debugger to tell."""
    debugger = shutil.which("gdb") or shutil.which("cuda-gdb")
    if debugger is None:
        return "(there is no debugger)\n"
    words = [debugger, "-batch", "-ex", "set confirm off", "-ex", "run", "-ex", "bt 40", "--args"]
    said = subprocess.run([*words, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return "".join(line[:300] + "\n" for line in said.split("\n") if not line.startswith("["))[-12000:]


def images(package):
    """{name: bytes} of the cubins in a package."""
    with zipfile.ZipFile(package) as file:
        return {n: file.read(n) for n in file.namelist() if n.endswith(".cubin")}


def _one(device, compiler, program):
    """What the program says with kernels of a compiler: run in a process of its own, which must be new to torch."""
    import torch
    import tritcc.triton

    if compiler == "tritcc":
        tritcc.triton.install(strict=True)
    with tempfile.TemporaryDirectory() as folder:
        package = make_package(torch, device, os.path.join(folder, "model.pt2"))
        if not os.path.exists(program):
            build_program(torch, program)
        print(compiler, run_program(program, package, device), "wanted", wanted(torch, device), flush=True)


def main():
    device, *compilers = sys.argv[1:]
    if len(compilers) == 2 and os.path.isabs(compilers[1]):
        return _one(device, *compilers)
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers or ("triton", "tritcc"):
            environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, compiler), TRITCC="0")
            environment["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor-" + compiler)
            command = [sys.executable, __file__, device, compiler, os.path.join(folder, "program")]
            status |= subprocess.run(command, env=environment).returncode != 0
    return status


if __name__ == "__main__":
    sys.exit(main())
