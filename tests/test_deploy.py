"""The files in deploy/ name options that exist and confine what they start."""

import re
from pathlib import Path
from typing import Any

import pytest

from polyhead.cli.serve import serve

yaml = pytest.importorskip("yaml", reason="the extra `files` is not installed")

DEPLOY = Path(__file__).parents[1] / "deploy"
ROOT = DEPLOY.parent


def resources(name: str) -> dict[str, dict[str, Any]]:
    """The resources in a file for Kubernetes by their kinds."""
    return {each["kind"]: each for each in yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8"))}


def services() -> dict[str, dict[str, Any]]:
    """The services of the compose file."""
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]


def options(words: list[str]) -> set[str]:
    """The names of the options among the words of a command, as Python writes them."""
    return {word.partition("=")[0].removeprefix("--").replace("-", "_") for word in words if word.startswith("--")}


PODS = [
    pytest.param(resources("kubernetes.yaml")["Deployment"]["spec"]["template"]["spec"], id="serving"),
    pytest.param(resources("training.yaml")["Job"]["spec"]["template"]["spec"], id="training"),
]


@pytest.mark.parametrize("pod", PODS)
def test_pods_have_no_rights_that_they_do_not_need(pod: dict[str, Any]) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert {"cpu", "memory"} <= container["resources"]["limits"].keys()


@pytest.mark.parametrize("pod", PODS)
def test_pods_mount_volumes_that_there_are(pod: dict[str, Any]) -> None:
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_a_pod_that_serves_is_asked_whether_it_is_well_and_has_time_to_end() -> None:
    pod = resources("kubernetes.yaml")["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()
    assert pod["terminationGracePeriodSeconds"] > (serve.__kwdefaults__ or {})["timeout"] + 15


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(resources("kubernetes.yaml")["Deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]),
        pytest.param(services()["polyhead"]["command"]),
    ],
    ids=["kubernetes", "compose"],
)
def test_the_server_knows_its_options(words: list[str]) -> None:
    assert words[0] == "serve"
    assert options(words) <= (serve.__kwdefaults__ or {}).keys()


def test_the_services_of_the_compose_file_are_confined() -> None:
    for service in services().values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}


def test_pods_that_train_find_each_other_and_have_time_for_a_checkpoint() -> None:
    found = resources("training.yaml")
    job, service = found["Job"], found["Service"]
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (script,) = container["args"]
    name, subdomain = job["metadata"]["name"], pod["subdomain"]
    assert f"--rdzv-endpoint {name}-0.{subdomain}:{service['spec']['ports'][0]['port']} " in script
    assert subdomain == service["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"].items() <= job["spec"]["template"]["metadata"]["labels"].items()
    assert re.findall(r"--nnodes (\d+)", script) == [str(job["spec"]["completions"])]
    assert job["spec"]["parallelism"] == job["spec"]["completions"]
    seconds = next(each["value"] for each in container["env"] if each["name"] == "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")
    assert int(seconds) < pod["terminationGracePeriodSeconds"]


def test_the_image_copies_what_is_not_ignored() -> None:
    copied = re.search(r"^COPY (pyproject.+) \./$", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert copied is not None
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for name in [*copied[1].split(), "src"]:
        assert (ROOT / name).exists()
        assert f"!{name}" in kept
