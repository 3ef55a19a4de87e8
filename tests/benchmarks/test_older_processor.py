"""What every driver hears where a processor is to be taken for an older one."""

from pathlib import Path

import pytest

from benchmarks import conversation
from benchmarks.contest import Stage
from benchmarks.plan import QUICK, Places
from benchmarks.systems import Setting, System

DRIVER = """
import sys
sys.path.insert(0, {drivers!r})
import torch
from wire import serve
from polyhead.hardware import cpu_features
from polyhead.kernels.microkernels.registers import MAX_LEVEL

serve({{"prepare": lambda setting: {{
    "pytorch": torch.backends.cpu.get_cpu_capability(), "ours": sorted(cpu_features()), "levels": MAX_LEVEL
}}}})
"""


def test_nothing_beyond_avx2_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "driver.py").write_text(DRIVER.format(drivers=str(conversation.DRIVERS)), encoding="utf-8")
    monkeypatch.setattr(conversation, "DRIVERS", tmp_path)
    stage = Stage(QUICK, Places(*[tmp_path] * 5), threads=1, say=print, avx2_alone=True)
    started = stage.start(System("any", None, "driver.py", ()), Setting("any"), {})
    assert started is not None, stage.notes
    started.driver.close()
    assert started.prepared["pytorch"] in ("AVX2", "DEFAULT", "NO AVX")
    assert started.prepared["levels"] == 127
    assert not [name for name in started.prepared["ours"] if name.startswith(("avx512", "amx", "avx_vnni"))]
