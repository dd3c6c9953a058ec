"""A package of AOTInductor's, and a C++ program that runs it: `make_package`, `build_program`, `run_program`."""

import os
import subprocess
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
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O0", os.path.join(HERE, "aoti.cpp"), "-o", path]
    command += [f"-I{folder}" for folder in cpp_extension.include_paths()]
    for folder in libraries:
        command += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
    names = ["torch", "torch_cpu", "c10"]
    names += [n for n in ("torch_cuda", "c10_cuda") if torch.version.cuda]
    command += ["-Wl,--no-as-needed", *[f"-l{name}" for name in names], "-Wl,--allow-shlib-undefined"]
    command.append(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}")
    subprocess.run(command, check=True)


def run_program(program, package, device):
    """The numbers that it prints."""
    shapes = [f"{rows},{columns}" for rows, columns in SHAPES]
    run = subprocess.run([program, package, device, *shapes], capture_output=True, text=True)
    if run.returncode:
        raise AssertionError(f"{program}: exit {run.returncode}\n{run.stderr}")
    return [float(line) for line in run.stdout.split()]


def images(package):
    """{name: bytes} of the cubins in a package."""
    with zipfile.ZipFile(package) as file:
        return {n: file.read(n) for n in file.namelist() if n.endswith(".cubin")}
