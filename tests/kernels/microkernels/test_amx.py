"""What is written for a unit for matrices, on every machine: most have none, and would find a mistake in no other test.

Nothing is run. In a process that takes its CPU for one with AMX, every function of LLVM's instructions writes its code,
and LLVM verifies it.
"""

import json
import os
import subprocess
import sys

WRITE = """
import json
from polyhead import hardware

hardware._instructions = lambda: frozenset(hardware.NAMES)
from polyhead.kernels import compiler
from polyhead.kernels.attention import tiles
from polyhead.kernels.linear import gemm_amx, packed_int8
from polyhead.kernels.llvm import ANY
from polyhead.kernels.loss import softmax_amx
from polyhead.kernels.microkernels import amx

assert amx.HAS_AMX
waiting = [getattr(each, "__self__", None) for each in compiler._registrations]
written = []
for made in waiting:
    if not isinstance(made, compiler.Instruction) or not hasattr(made._function, "__signature__"):
        continue
    _, *names = made._function.__signature__.parameters
    signature, generate = made._function(None, *[None] * len(names))
    if None in signature.args:
        continue  # its types are those of its caller
    context, ir = compiler.registry.cpu_target.target_context, compiler.ir
    kinds = [context.get_value_type(each) for each in signature.args]
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), "written")
    builder = ir.IRBuilder(function.append_basic_block())
    try:
        generate(context, builder, signature, function.args)
        builder.ret_void()
        compiler.binding.parse_assembly(str(module)).verify()
    except Exception as error:
        print(json.dumps(f"{made._function.__name__}: {type(error).__name__}: {error}"))
        raise SystemExit(1)
    if "llvm.x86.tdp" in str(module):
        written.append(made._function.__name__)
print(json.dumps(written))
"""


def test_what_multiplies_tiles_is_llvms_language() -> None:
    nothing_hidden = {name: value for name, value in os.environ.items() if name != "POLYHEAD_CPU_WITHOUT"}
    command = [sys.executable, "-c", WRITE]
    done = subprocess.run(command, env=nothing_hidden, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    written = set(json.loads(done.stdout.splitlines()[-1]))
    assert written == {"int8_tile_product", "add_up", "tile_product", "interleaved_product"}
