"""What older and smaller CPUs compute, on one that can do more; and whether kernels use memory that they gave back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyhead.hardware import cpu_features

TESTS = Path(__file__).parent
TRANSLATING = (
    "kernels/attention/test_by_positions.py",
    "kernels/microkernels/test_registers.py",
    "kernels/linear/test_quantise.py",
    "kernels/linear/test_packed_float32.py",
    "kernels/linear/test_packed_int8.py",
    "engine/test_cross_attention.py",
    "engine/test_kernel_engine.py",
)
TRAINING = (
    "kernels/packing/test_pack_bfloat16.py",
    "kernels/packing/test_pack_int8.py",
    "kernels/packing/test_quantise_int8.py",
    "kernels/microkernels/test_int8.py",
    "kernels/microkernels/test_simd.py",
    "kernels/linear/test_gemm_int8.py",
    "kernels/linear/test_gemm_float32.py",
    "kernels/loss/test_exp_logits_simd.py",
    "kernels/numbers/test_bfloat16.py",
    "training/fused/test_adam.py",
    "training/fused/test_attention.py",
    "training/fused/test_fuse.py",
    "training/fused/test_linear.py",
    "training/fused/test_softmax_projection.py",
    "training/fused/test_transformer.py",
    "training/test_precision.py",
)
TILES = (
    "kernels/microkernels/test_tiles.py",
    "kernels/microkernels/test_amx_gemm.py",
    "kernels/linear/test_gemm.py",
    "kernels/linear/test_gemm_amx.py",
    "kernels/linear/test_packed_int8.py",
    "kernels/loss/test_softmax_amx.py",
    "training/fused/test_attention.py",
    "training/fused/test_linear.py",
    "training/fused/test_softmax_projection.py",
)
AVX2 = "avx512 avx10 amx"
COMMON = {
    "avx2": (f"{AVX2} avx_vnni avxvnni", "avx2"),
    "avx512 without bfloat16": ("avx512_bf16 avx512bf16 amx", "avx512"),
}
"""The instructions that are left alone, and up to which PyTorch may go."""
IN_COMMON = ("avx2", TRANSLATING), ("avx2", TRAINING), ("avx512 without bfloat16", TRAINING)
"""What is run as a common CPU. Translating has no kernel for bfloat16: without it, it is what it is with it."""
RARE = {
    "avx2 with vnni": (AVX2, "avx2"),
    "as few registers as avx2 has, with vnni": ("avx512_f avx512_bf16 avx512bf16 amx", "avx2"),
}
"""The same of CPUs whose kernels differ from those of the common ones in a few places."""


SCRIBBLED = {"MALLOC_PERTURB_": "85", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
"""What makes the GNU C library write over memory when it is asked for and when it is given back."""


def passes(checked: tuple[str, ...], environment: dict[str, str], *options: str) -> None:
    """Runs these tests in a process of their own, in memory that is written over."""
    files = [str(TESTS / name) for name in checked]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *files]
    variables = {**os.environ, **SCRIBBLED, **environment}
    root = TESTS.parent
    done = subprocess.run(command, env=variables, cwd=root, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("checked", [TRANSLATING, TRAINING], ids=["translating", "training"])
def test_the_kernels_of_this_one(checked: tuple[str, ...]) -> None:
    passes(checked, {})


@pytest.mark.slow
@pytest.mark.parametrize(("cpu", "checked"), IN_COMMON, ids=["avx2-translating", "avx2-training", "avx512-training"])
@pytest.mark.skipif("avx512_f" not in cpu_features(), reason="this CPU is one of them")
def test_the_kernels_of_common_cpus(cpu: str, checked: tuple[str, ...]) -> None:
    without, of_torch = COMMON[cpu]
    passes(checked, {"POLYHEAD_CPU_WITHOUT": without, "ATEN_CPU_CAPABILITY": of_torch})


@pytest.mark.slow
@pytest.mark.parametrize("checked", [TRANSLATING, TRAINING], ids=["translating", "training"])
@pytest.mark.parametrize(("without", "of_torch"), RARE.values(), ids=RARE)
@pytest.mark.skipif("avx512_f" not in cpu_features(), reason="this CPU is one of them")
def test_the_kernels_of_rare_cpus(without: str, of_torch: str, checked: tuple[str, ...]) -> None:
    passes(checked, {"POLYHEAD_CPU_WITHOUT": without, "ATEN_CPU_CAPABILITY": of_torch})


@pytest.mark.slow
@pytest.mark.skipif("avx512_bf16" not in cpu_features(), reason="kernels beside those on tiles are for AVX512-BF16")
def test_the_kernels_of_one_with_a_unit_for_matrices() -> None:
    """Emulated: see `emulated_amx`. Left out is a test whose millions of instructions take a minute there."""
    passes(TILES, {}, "-p", "tests.emulated_amx", "-k", "not test_chunks_and_groups")
