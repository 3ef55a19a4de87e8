"""What older and smaller CPUs compute, on one that can do more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyhead.hardware import cpu_features

TESTS = Path(__file__).parents[1]
CHECKED = [
    TESTS / name for name in ("kernels/linear/test_float32.py", "kernels/linear/test_int8.py", "engine/test_fused.py")
]
AVX2 = "avx512 avx10 amx"


@pytest.mark.slow
@pytest.mark.parametrize("without", [AVX2, f"{AVX2} avx_vnni avxvnni"], ids=["avx2 with vnni", "avx2"])
@pytest.mark.skipif("avx512_f" not in cpu_features(), reason="this CPU is one of them")
def test_the_kernels_in_shorter_vectors(without: str) -> None:
    environment = {**os.environ, "POLYHEAD_CPU_WITHOUT": without, "ATEN_CPU_CAPABILITY": "avx2"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, CHECKED)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
