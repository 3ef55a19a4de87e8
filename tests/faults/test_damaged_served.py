"""A server of a damaged model doesn't start, or says what is wrong, or answers as if nothing were; it never dies."""

import json
import re
import signal
import time
import urllib.error
import urllib.request

import pytest

from tests.faults.damage import damages
from tests.faults.nursery import Command, Nursery
from tests.faults.runs import copied, outcome
from tests.faults.tally import tallied

FAULT = "a damaged file in a model directory"
ADDRESS = re.compile(r"serving .* at (http://\S+)")
TEXTS = ["bado kilu", "mera noti pasu rovi", "sela tugo vani"]


def address(command: Command) -> str | None:
    """Where it answers, once it does; None if it has ended."""
    said = command.place / "stderr"
    while not command.ended:
        if said.exists() and (found := ADDRESS.search(said.read_text(encoding="utf-8"))):
            return found[1]
        time.sleep(0.005)
    return None


def translated(url: str) -> tuple[int, str]:
    """Status and answer of a request for translations."""
    body = json.dumps({"text": TEXTS}).encode()
    request = urllib.request.Request(f"{url}/v1/translate", body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.dumps([each["text"] for each in json.loads(answer.read())["translations"]])
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def serve(nursery: Nursery, directory, expected: str | None) -> str:
    """What comes of serving the model in a directory."""
    command = nursery.begin("serve", "model", "--port", "0", directory=directory)
    url = address(command)
    if url is None:
        said = outcome(command.wait())
        return "refused in one sentence" if said == "refused" else f"the server {said}"
    status, answer = translated(url)
    healthy = translated(url)[0] == status
    command.kill(signal.SIGTERM)
    ended = command.wait(20)
    if not healthy or ended.status != 0 or "Traceback" in ended.err:
        return f"the server {outcome(ended)}"
    if status == 200:
        return "same output" if expected in (None, answer) else "other result without a word"
    problem = json.loads(answer).get("detail", "")
    return "refused in one sentence" if 0 < len(str(problem)) < 300 else f"status {status}: {answer[:200]}"


@pytest.mark.faults
@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "shared.spm"])
def test_a_server_of_a_damaged_model(learnt, training, tmp_path, faults_seed, file, record_property):
    nursery, directory = learnt.run.nursery, tmp_path / "run"
    words = ["translate", "model"]
    copied(learnt.directory, directory)
    whole = nursery.run(*words, directory=directory, stdin="".join(f"{text}\n" for text in TEXTS))
    expected = json.dumps(whole.out.splitlines())
    with tallied(record_property, FAULT, "any, and `polyhead serve`") as tally:
        tally.count(serve(nursery, directory, expected), "a whole model")
        for damage in list(damages(file, faults_seed))[::2]:
            copied(learnt.directory, directory)
            if damage.do(directory / "model" / file, training.directory / "model" / file):
                tally.count(serve(nursery, directory, expected), f"{file} {damage}")
