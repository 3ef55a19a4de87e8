"""The tables of systems: what they name must exist."""

import pytest

from benchmarks import systems
from benchmarks.conversation import DRIVERS
from benchmarks.environments import ENVIRONMENTS, ROOT, TORCH, Environment, installations
from benchmarks.systems import OURS, TRAINING, System, ctranslate2_settings, taking_part, translation_systems

SYSTEMS = (*TRAINING, *translation_systems(2))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system.name} {system.script}")
def test_every_system_has_a_driver_an_environment_and_settings(system: System) -> None:
    assert (DRIVERS / system.script).exists()
    assert system.environment is None or system.environment in ENVIRONMENTS
    names = [setting.name for setting in system.settings]
    assert len(set(names)) == len(names) > 0


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_every_package_is_pinned(environment: Environment) -> None:
    for package in (*environment.packages, *environment.alone):
        assert "==" in package or package == f"--editable={ROOT}"


def test_pytorch_is_installed_first_and_what_stands_alone_without_its_wishes() -> None:
    sockeye = installations(ENVIRONMENTS["sockeye"])
    assert sockeye[0] == ((TORCH,), ())
    assert sockeye[1][1] == ("--no-deps",)
    assert installations(ENVIRONMENTS["ctranslate2"])[0][0][0].startswith("ctranslate2")


@pytest.mark.parametrize("multiplies", [True, False])
def test_a_format_that_the_processor_does_not_multiply_is_left_out(
    monkeypatch: pytest.MonkeyPatch, multiplies: bool
) -> None:
    monkeypatch.setattr(systems, "multiplies_bfloat16", lambda: multiplies)
    names = {setting.name for system in taking_part(SYSTEMS, ()) for setting in system.settings}
    assert ({"bf16 autocast", "float32, products in bf16", "bfloat16"} <= names) == multiplies
    assert {"auto", "float32", "prepared int8"} <= names
    assert any("bf16" in name or "bfloat16" in name for name in names) == multiplies


def test_ours_is_measured_in_both() -> None:
    assert OURS in {system.name for system in TRAINING}
    assert OURS in {system.name for system in translation_systems(2)}


@pytest.mark.parametrize(
    ("cores", "splits"), [(1, {(1, 1)}), (2, {(2, 1), (1, 2), (1, 1)}), (8, {(8, 1), (4, 2), (1, 8), (1, 1)})]
)
def test_ctranslate2_gets_every_sensible_split_of_the_cores(cores: int, splits: set[tuple[int, int]]) -> None:
    for kind in ("int8", "float32"):
        found = [setting.values for setting in ctranslate2_settings(cores) if setting.values["compute_type"] == kind]
        assert {(one["inter_threads"], one["intra_threads"]) for one in found} == splits
        assert len(found) == len(splits)
