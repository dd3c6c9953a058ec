"""Times Triton's ast_to_ttir for the kernels of frontend.sh: frontend_with_triton.py EXAMPLES RUNS [TUTORIALS]."""
import statistics
import sys
import time

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from with_triton import KERNELS, load, source

ATTENTION = ('_attn_fwd', {'sm_scale': 'fp32', 'M': '*fp32', 'Z': 'i32', 'H': 'i32', 'desc_q': '*fp16', 'desc_k': '*fp16',
                           'desc_v': '*fp16', 'desc_o': '*fp16', 'N_CTX': 'i32'},
             {'HEAD_DIM': 64, 'BLOCK_M': 128, 'BLOCK_N': 64, 'FP8_OUTPUT': False, 'STAGE': 3, 'warp_specialize': False,
              'IS_HOPPER': False})


def attention(tutorials):
    import ast
    import importlib.util
    import os
    import tempfile
    from triton.compiler import ASTSource
    tree = ast.parse(open(f'{tutorials}/06-fused-attention.py').read())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and any('jit' in ast.unparse(d) for d in n.decorator_list)]
    for n in tree.body:
        n.decorator_list = [d for d in n.decorator_list if 'autotune' not in ast.unparse(d)]
    file = os.path.join(tempfile.mkdtemp(), 'attention.py')
    with open(file, 'w') as out:
        out.write('import triton\nimport triton.language as tl\n' + ast.unparse(tree) + '\n')
    spec = importlib.util.spec_from_file_location('attention', file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, ATTENTION[0])
    signature = {n: ATTENTION[1].get(n, 'constexpr') for n in kernel.arg_names}
    constants = {(kernel.arg_names.index(n), ): v for n, v in ATTENTION[2].items()}
    attrs = {(i, ): [['tt.divisibility', 16]] for i, n in enumerate(kernel.arg_names) if signature[n].startswith('*')}
    return ASTSource(kernel, signature, constants, attrs)


def main():
    examples, runs = sys.argv[1], int(sys.argv[2])
    rows = {name: source(load(f'{examples}/{name}/{name}.tri', function), text) for name, (function, text) in KERNELS.items()}
    if len(sys.argv) > 3:
        rows['attention'] = attention(sys.argv[3])
    target = GPUTarget('cuda', 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({'num_warps': 4})
    for name, src in rows.items():
        times = []
        for _ in range(runs):
            context = ir.context()
            ir.load_dialects(context)
            backend.load_dialects(context)
            begin = time.perf_counter()
            src.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
            times.append(time.perf_counter() - begin)
        print(f'{"Triton ast_to_ttir " + name:34} {statistics.median(times) * 1e3:8.2f} ms')


main()
