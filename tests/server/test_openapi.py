"""The description of the interface, and the server held against it."""

import re
import subprocess
import sys

import pytest

from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig

TOOL = [sys.executable, "-m", "schemathesis.cli"]

HOOKS = """
from pathlib import Path

from hypothesis import strategies
from polyhead.server.choices import SENTENCE
from polyhead.sentences import sentences
from polyhead.server.pool import open_directory
import schemathesis

model = open_directory(Path("{directory}"))
longest = min(model.config.longest_source - 2, model.config.model.max_length - 1)  # a tag and <eos> beside it
short = lambda text: len(sentences(text)) < 2 and all(len(each.encode(text)) <= longest for each in model.tokenizers)
schemathesis.openapi.format(SENTENCE, strategies.text(strategies.characters(codec="utf-8"), max_size=20).filter(short))
"""
"""What the interface's description can but call a sentence depends on the model's vocabulary."""


CONFIGURATION = """
hooks = "{hooks}"
[checks.positive_data_acceptance]
expected-statuses = {statuses}
[[operations]]
include-path = "/translate_file"
[operations.checks.positive_data_acceptance]
enabled = false
"""
"""A file is known by the end of its name, which no description can ask for."""


def fields(schema, name):
    return schema["components"]["schemas"][name]["properties"]


def test_problems_look_alike_everywhere(client):
    schema = client.get("/openapi.json").json()
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            told = "application/json" if path.startswith("/v2/") else "application/problem+json"
            assert list(operation["responses"]["default"]["content"]) == [told], path
            assert "422" not in operation["responses"]
    assert "/" not in schema["paths"]


def test_names_that_the_models_know_are_listed(both, client):
    schema = both.get("/openapi.json").json()
    assert fields(schema, "TokenizeRequest")["model"]["anyOf"][0]["enum"] == ["tagged", "plain"]
    assert fields(schema, "TranslateRequest")["target"]["anyOf"][0]["enum"] == ["xb", "xc", "de"]
    assert "x-choices" not in str(schema)
    alone = client.get("/openapi.json").json()
    assert fields(alone, "TranslateRequest")["target"] == {"title": "Target", "type": "string", "enum": ["xb", "xc"]}
    assert alone["components"]["schemas"]["TranslateRequest"]["required"] == ["target", "text"]


def test_a_trace_links_to_its_parts(client):
    schema = client.get("/openapi.json").json()
    links = schema["paths"]["/api/traces"]["post"]["responses"]["201"]["links"]
    below = [path for path in schema["paths"] if path.startswith("/api/traces/{id}")]
    assert len(links) == len(below) + 1, "one address has two methods"


def test_what_counts_as_blank_is_blank_by_the_description_too(client):
    """White space is ECMA-262's in a schema; it lacks some of what Python strips."""
    pattern = fields(client.get("/openapi.json").json(), "TraceRequest")["text"]["pattern"]
    ecma = {*"\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", *map(chr, range(0x2000, 0x200B))}
    lacking = [letter for letter in map(chr, range(sys.maxunicode + 1)) if letter.isspace() and letter not in ecma]
    named = re.compile(pattern.replace("\\s", ""))
    assert lacking
    assert not any(named.match(letter) for letter in lacking)
    assert named.match("a")
    assert client.post("/api/traces", json={"text": "\x1e", "language": "xb"}).json()["code"] == "empty"


def test_a_sentence_is_described_as_one(client):
    schema = client.get("/openapi.json").json()
    assert fields(schema, "TraceRequest")["text"]["format"] == "sentence"
    pattern = fields(schema, "TraceRequest")["text"]["pattern"]
    assert re.fullmatch(r"\[\^\\s(.+)\]", pattern), pattern
    assert "longest_source" in fields(schema, "ModelInfo")
    assert "format" not in fields(schema, "StreamRequest")["text"], "a stream takes several sentences"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no installed font")  # a picture of letters from anywhere warns, and is drawn
@pytest.mark.parametrize("settings", [{}, {"api_key": "a secret"}])
def test_schemathesis_finds_nothing(listen, tagged, settings, tmp_path):
    pytest.importorskip("schemathesis")
    # A trace may be gone by the time it is asked for: 410 answers a valid request, beside what is expected anyway.
    statuses = ["2xx", "3xx", "401", "403", "404", "409", "410", "429", "5xx"]
    configuration, hooks = tmp_path / "schemathesis.toml", tmp_path / "hooks.py"
    hooks.write_text(HOOKS.format(directory=tagged))
    configuration.write_text(CONFIGURATION.format(hooks=hooks, statuses=statuses))
    with listen(Services.start(open_directories([tagged]), ServerConfig(**settings))) as address:
        options = ["--max-examples", "10", "--request-timeout", "60", "--continue-on-failure", "--no-color"]
        if settings:
            options += ["--header", "Authorization: Bearer a secret"]
        command = [*TOOL, "--config-file", str(configuration), "run", f"{address}/openapi.json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
