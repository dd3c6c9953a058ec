"""Times triton.compile to PTX for the example kernels: with_triton.py EXAMPLES RUNS (see run.sh)."""
import ast
import importlib.util
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time

start = time.perf_counter()
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

imported = time.perf_counter() - start

KERNELS = {
    'vadd': ('add_kernel', '*fp32:16, *fp32:16, *fp32:16, i32, 1024'),
    'softmax': ('softmax_kernel', '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2'),
    'layernorm': ('_layer_norm_fwd_fused', '*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024'),
}


def load(path, name):
    """The kernel alone: the host code of the file wants a device."""
    tree = ast.parse(open(path).read())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    file = os.path.join(tempfile.mkdtemp(), 'kernel.py')
    with open(file, 'w') as out:
        out.write('import triton\nimport triton.language as tl\n' + ast.unparse(tree) + '\n')
    spec = importlib.util.spec_from_file_location('kernel', file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def source(kernel, text):
    signature, constants, attrs = {}, {}, {}
    for i, (name, word) in enumerate(zip(kernel.arg_names, text.split(', '))):
        if word.isdigit():
            signature[name], constants[(i, )] = 'constexpr', int(word)
            continue
        signature[name] = word.split(':')[0]
        if word.endswith(':16'):
            attrs[(i, )] = [['tt.divisibility', 16]]
    return ASTSource(kernel, signature, constants, attrs)


def main():
    examples, runs = sys.argv[1], int(sys.argv[2])
    print(f'{"Triton " + triton.__version__ + " start and import":34} {imported * 1e3:8.0f} ms')
    for name, (function, text) in KERNELS.items():
        kernel = load(f'{examples}/{name}/{name}.tri', function)
        times = []
        for _ in range(runs):
            os.environ['TRITON_CACHE_DIR'] = tempfile.mkdtemp()
            begin = time.perf_counter()
            triton.compile(source(kernel, text), target=GPUTarget('cuda', 90, 32), options={'num_warps': 4})
            times.append(time.perf_counter() - begin)
            shutil.rmtree(os.environ['TRITON_CACHE_DIR'], ignore_errors=True)
        print(f'{"Triton " + name + " -> cubin":34} {statistics.median(times) * 1e3:8.0f} ms')
    print(f'{"Triton, memory":34} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB')


if __name__ == "__main__":
    main()
