"""The command line as a whole: help, speed, exit status, pipes and signals."""

import io
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyhead.cli import COMMANDS, main
from polyhead.model.config import TransformerConfig
from tests.small import write_small

HEAVY = ("torch", "matplotlib", "sacrebleu", "fastapi", "numpy", "sentencepiece")
COMMAND = [sys.executable, "-m", "polyhead"]


def test_help_is_quick_and_loads_nothing_heavy():
    code = f"""
import sys
from polyhead.cli import main
status = main(["--help"])
sys.exit(str([name for name in {HEAVY} if name in sys.modules]) if status or set({HEAVY}) & set(sys.modules) else 0)
"""
    used = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(used) < 1.0, "seconds of processor time: a busy machine does not count"


def test_idle_threads_sleep_unless_the_user_says_otherwise(polyhead, monkeypatch):
    for given, expected in ((None, "PASSIVE"), ("ACTIVE", "ACTIVE")):
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        if given:
            monkeypatch.setenv("OMP_WAIT_POLICY", given)
        assert polyhead("--version").status == 0
        assert os.environ["OMP_WAIT_POLICY"] == expected


def test_importing_the_package_loads_nothing_heavy():
    code = f"import polyhead, sys; sys.exit(' '.join(set({HEAVY}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.strip() == ""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_explains_itself(polyhead, command):
    answer = polyhead(command, "--help")
    assert answer.status == 0
    assert answer.out.startswith(f"Usage: polyhead {command}")
    for oddity in ("None", "False", "()", "Path", "--empty-", "tuple", "[default: ]"):
        assert oddity not in answer.out
    assert not re.search(r"--no-(?!repeat|split)", answer.out)


def test_version(polyhead):
    assert polyhead("--version").out.strip() == "0.1.0"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["transalte"], 'Did you mean "translate"'),
        (["translate", "model", "--bem", "3"], "Did you mean --beam"),
        (["translate", "model", "--beam", "-3"], "Must be >= 1"),
        (["translate", "model", "--beam", "many"], "beam"),
        (["translate"], "MODEL"),
        (["translate", "model", "--top-p", "2"], "Must be <= 1"),
        (["evaluate", "model"], "--reference"),
        (["evaluate", "--reference", "r"], "--hypothesis"),
        (["look", "model", "text"], "--png"),
        (["train"], "give a recipe"),
        (["train", "--source", "a"], "go in pairs"),
        (["train", "--source", "a", "--target", "b", "--dev-source", "c"], "go together"),
        (["train", "--sorce", "a", "--target", "b"], "did you mean 'source'"),
        (["train", "recipe.toml", "--taget", "b"], "did you mean 'target'"),
        (["train", "recipe.toml", "stray"], "'stray' is not expected here"),
        (["train", "recipe.toml", "--seed"], "--seed needs a value"),
    ],
)
def test_wrong_usage_has_status_2_and_says_what_is_wrong(polyhead, arguments, said):
    answer = polyhead(*arguments)
    assert answer.status == 2
    assert answer.out == ""
    assert said in answer.err
    assert "Try `polyhead --help`" in answer.err


def test_a_reader_that_leaves_early_causes_no_complaint(toy_model, tmp_path):
    (tmp_path / "text").write_text("bado\n" * 1000)
    text = tmp_path / "text"
    command = f"{' '.join(COMMAND)} score {toy_model} --source {text} --target {text} --json | head -1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == ""


def test_ctrl_c_is_no_traceback(toy_model):
    with subprocess.Popen(
        [*COMMAND, "translate", str(toy_model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell's background jobs ignore Ctrl-C, and so would their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        # It waits for standard input once all is loaded. While a library is imported, a signal can be lost in it.
        reading_standard_input = ("0 0x0 ", "63 0x0 ")  # the system call's number on x86 and ARM, and what it is about
        while not Path(f"/proc/{process.pid}/syscall").read_text().startswith(reading_standard_input):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert errors.decode().strip().endswith("polyhead: interrupted")
    assert "Traceback" not in errors.decode()


def test_a_full_disk_or_a_directory_that_cannot_be_written_is_one_sentence(polyhead, toy, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    reader = toy.write("train", 60)
    out = toy.directory / "model"
    answer = polyhead("train", "--source", reader["source"], "--target", reader["target"], "--out", out)
    assert answer.status == 1
    assert "cannot be written: No space left on device; what was there before is untouched: free some" in answer.err


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_output_is_utf_8_whatever_standard_output_was(tmp_path, monkeypatch, encoding):
    model = write_small(tmp_path / "model", TransformerConfig(d_model=16, d_ff=24, num_heads=2), "en", ["ko"])
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    assert main(["info", str(model)]) == 0
    assert "→" in written.getvalue().decode()
