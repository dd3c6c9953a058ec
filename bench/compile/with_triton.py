"""Times triton.compile to PTX and to cubins of the kernels that run.sh has: with_triton.py SOURCE RUNS.
KERNELS names some of them."""
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

# name: file, function, types, warps
KERNELS = {
    'vadd': ('examples/vadd/vadd.tri', 'add_kernel', '*fp32:16, *fp32:16, *fp32:16, i32, 1024', 4),
    'softmax': ('examples/softmax/softmax.tri', 'softmax_kernel', '*fp32:16, *fp32:16, i32, i32, i32, i32, 1024, 2', 4),
    'layernorm': ('examples/layernorm/layernorm.tri', '_layer_norm_fwd_fused',
                  '*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32, *fp32, i32, i32, fp32, 1024', 4),
    'matmul': ('bench/gpu/kernels/matmul.tri', 'matmul_kernel',
               '*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8', 8),
    'attention': ('bench/gpu/kernels/attention.tri', 'attention_kernel',
                  '*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32:16, i32:16, i32:16, i32, i32:16, '
                  '64, 128, 64, True, tl.float16', 4),
}


def load(path, name):
    """The kernels alone: the host code of the file wants a device."""
    tree = ast.parse(open(path).read())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and any('jit' in ast.unparse(d) for d in n.decorator_list)]
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
        if word.isdigit() or word == 'True' or word.startswith('tl.'):
            signature[name] = 'constexpr'
            constants[(i, )] = getattr(triton.language, word[3:]) if word.startswith('tl.') else ast.literal_eval(word)
            continue
        signature[name] = word.split(':')[0]
        if word.endswith(':16'):
            attrs[(i, )] = [['tt.divisibility', 16]]
    return ASTSource(kernel, signature, constants, attrs)


ptx_times = []


def note_stages(src, metadata, metadata_group, times, cache_hit):
    stages = dict(times.lowering_stages)
    ptx_times.append((times.ir_initialization + sum(t for name, t in stages.items() if name != 'cubin')) / 1e3)


def main():
    triton.knobs.compilation.listener = note_stages
    root, runs = sys.argv[1], int(sys.argv[2])
    names = os.environ.get('KERNELS', ' '.join(KERNELS)).split()
    print(f'{"Triton " + triton.__version__ + " start and import":34} {imported * 1e3:8.0f} ms')
    for name in names:
        file, function, text, warps = KERNELS[name]
        kernel = load(f'{root}/{file}', function)
        times = []
        ptx_times.clear()
        for _ in range(runs):
            os.environ['TRITON_CACHE_DIR'] = tempfile.mkdtemp()
            begin = time.perf_counter()
            triton.compile(source(kernel, text), target=GPUTarget('cuda', 90, 32), options={'num_warps': warps, 'num_stages': 3})
            times.append(time.perf_counter() - begin)
            shutil.rmtree(os.environ['TRITON_CACHE_DIR'], ignore_errors=True)
        print(f'{"Triton " + name + " -> cubin":34} {statistics.median(times) * 1e3:8.0f} ms')
        print(f'{"Triton " + name + " -> ptx":34} {statistics.median(ptx_times):8.0f} ms')
    print(f'{"Triton, memory":34} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB')


if __name__ == "__main__":
    main()
