"""`polyhead translate` and `polyhead score`: lines in, as many lines out."""

import json
import re

import pytest

from polyhead.translating.translator import Translator

LINES = ["bado kilu", "", "mera", "  ", "noti pasu rovi"]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"bado", b"bado\n", b"bado\r\nkilu\r\n", b"\n\nbado\n\n", "a\u2028b\nc\x00d\n\x0c\x85\n".encode(),
     "\ufeffbado\nkilu".encode(), b"bado\rkilu\n"],
)  # fmt: skip
def test_as_many_lines_out_as_in(polyhead, toy_model, tmp_path, data):
    expected = data.count(b"\n") + (0 if not data or data.endswith(b"\n") else 1)
    answer = polyhead("translate", toy_model, stdin=data)
    assert (answer.status, len(answer.lines)) == (0, expected)
    file = tmp_path / "some lines.txt"
    file.write_bytes(data)
    assert polyhead("translate", toy_model, file).lines == answer.lines
    assert polyhead("translate", toy_model, "-", stdin=data).lines == answer.lines


def test_a_blank_line_stays_as_it_is(polyhead, toy_model):
    answer = polyhead("translate", toy_model, stdin="".join(f"{line}\n" for line in LINES))
    assert [line if not line.strip() else "…" for line in answer.lines] == ["…", "", "…", "  ", "…"]
    assert answer.err == f"{Translator.load(toy_model).choices[0]}\n"


def test_json_lines(polyhead, toy_model):
    answer = polyhead("translate", toy_model, "--json", "--n-best", 2, "--align", stdin="bado kilu\n\n")
    one, blank = (json.loads(line) for line in answer.lines)
    plain = polyhead("translate", toy_model, "--beam=2", stdin="bado kilu\n").lines
    assert one["text"] == plain[0]
    assert len(one["alternatives"]) == 2
    assert len(one["token_log_probabilities"]) == len(one["tokens"]) + 1
    assert all(len(pair) == 2 for pair in one["alignment"])
    assert (blank["text"], blank["alignment"]) == ("", [])


def test_n_best_and_alignments_as_text(polyhead, toy_model):
    answer = polyhead("translate", toy_model, "--n-best", 3, stdin="bado kilu\n\nmera\n")
    assert [line.split(" ||| ")[0] for line in answer.lines] == ["0", "0", "0", "1", "2", "2", "2"]
    text, alignment = polyhead("translate", toy_model, "--align", stdin="bado kilu\n").lines[0].split("\t")
    assert len(alignment.split()) == len(text.split())


def test_samples(polyhead, toy_model):
    arguments = ["translate", toy_model, "--sample", "--temperature", 4, "--top-k", 50, "--top-p", 0.99]
    first, again, other = (polyhead(*arguments, "--seed", seed, stdin="bado kilu\nmera\n").out for seed in (1, 1, 2))
    assert first == again != other
    assert polyhead("translate", toy_model, "--sample", "--beam", 3).status == 2


def test_other_options(polyhead, toy_model, tmp_path):
    (tmp_path / "prefixes").write_text("xyz\n\n")
    answer = polyhead("translate", toy_model, "--prefix", tmp_path / "prefixes", stdin="bado\nkilu\n")
    assert answer.lines[0].startswith("xyz")
    assert polyhead("translate", toy_model, "--prefix", tmp_path / "prefixes", stdin="bado\n").status == 1
    plain = polyhead("translate", toy_model, stdin="bado kilu\n").out
    assert polyhead("translate", toy_model, "--ensemble", toy_model, stdin="bado kilu\n").out == plain
    assert polyhead("translate", toy_model, "--batch-tokens", 1, "--threads", 1, stdin="bado kilu\n").out == plain
    longer = ["--min-length", 6, "--max-length", 7, "--length-penalty", 1, "--no-repeat-ngram", 2, "--json"]
    tokens = json.loads(polyhead("translate", toy_model, *longer, stdin="bado\n").out)["tokens"]
    assert 6 <= len(tokens) <= 7


def test_the_length_penalty(polyhead, toy_model):
    asked = ["translate", toy_model, "--json", "--length-penalty"]
    found = json.loads(polyhead(*asked, "average", stdin="bado kilu\n").out)
    assert found["score"] == pytest.approx(found["log_probability"] / (len(found["tokens"]) + 1))  # and <eos>
    for given, why in {"mean": "'mean' is neither a number nor average", "nan": "nan is not from 0 to 10"}.items():
        refused = polyhead(*asked, given, stdin="bado kilu\n")
        assert refused.status == 2
        assert why in refused.err


def test_the_target_language(polyhead, tagged_model):
    answer = polyhead("translate", tagged_model, stdin="bado\n")
    assert (answer.status, answer.out) == (1, "")
    assert "name one of xb, xc" in answer.err
    answer = polyhead("translate", tagged_model, "--to", "xd", stdin="bado\n")
    assert answer.status == 1
    assert "this model does not translate to 'xd'; name one of xb, xc with --to" in answer.err
    assert polyhead("translate", tagged_model, "--to", "xc", stdin="bado\n").status == 0


def test_input_that_is_not_utf8_is_named_by_line(polyhead, toy_model, tmp_path):
    answer = polyhead("translate", toy_model, stdin=b"bado\n\xff\n")
    assert (answer.status, answer.out) == (1, "")
    assert "stdin:2: invalid UTF-8: byte 1 of the line is 0xFF; save the text as UTF-8" in answer.err
    file = tmp_path / "latin1.txt"
    file.write_bytes(b"bado\n\xe9t\xe9\n")
    assert f"{file}:2" in polyhead("translate", toy_model, file).err
    assert "no such file" in polyhead("translate", toy_model, tmp_path / "no").err


@pytest.mark.parametrize("command", ["translate", "info", "score", "look", "evaluate"])
@pytest.mark.parametrize("damage", ["absent", "a file", "empty", "half a vocabulary", "pickled weights"])
def test_damaged_models_are_one_sentence(polyhead, toy_model, tmp_path, command, damage):
    model = tmp_path / "model"
    if damage == "a file":
        model.write_text("x")
    elif damage != "absent":
        model.mkdir()
        for path in toy_model.iterdir() if damage != "empty" else ():
            if path.is_file():
                (model / path.name).write_bytes(path.read_bytes())
    if damage == "half a vocabulary":
        (model / "shared.spm").write_bytes((toy_model / "shared.spm").read_bytes()[:500])
    if damage == "pickled weights":
        (model / "model.safetensors").write_bytes(b"\x80\x04\x95cposix\nsystem\n")
    text = tmp_path / "text"
    text.write_text("bado\n")
    more = {
        "score": ["--source", text, "--target", text],
        "evaluate": ["--source", text, "--reference", text],
        "look": ["bado", "--svg", tmp_path / "x.svg"],
    }
    answer = polyhead(command, model, *more.get(command, []))
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith(f"polyhead: {model}")
    assert answer.err.count("\n") == 1


def test_score(polyhead, toy_model, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("bado kilu\nmera\n")
    translated = polyhead("translate", toy_model, "--json", "--dtype", "float32", source)
    best = [json.loads(line) for line in translated.lines]
    target.write_text("".join(f"{one['text']}\n" for one in best))
    plain = polyhead("score", toy_model, "--source", source, "--target", target)
    assert [float(line) for line in plain.lines] == pytest.approx([one["log_probability"] for one in best], abs=1e-3)
    answer = polyhead("score", toy_model, "--source", source, "--target", target, "--json")
    assert json.loads(answer.lines[0])["log_probability"] == pytest.approx(float(plain.lines[0]), abs=1e-5)
    target.write_text("one\n")
    answer = polyhead("score", toy_model, "--source", source, "--target", target)
    assert "2 source texts, but 1 translation to score" in answer.err


def test_every_translation_of_an_n_best_list_has_its_alignment(polyhead, toy_model):
    answer = polyhead("translate", toy_model, "--n-best", 2, "--align", stdin="bado kilu\n")
    fields = [line.split(" ||| ") for line in answer.lines]
    assert [len(each) for each in fields] == [4, 4]
    assert all(re.fullmatch(r"\d+-\d+( \d+-\d+)*", each[3]) for each in fields)
    answer = polyhead("translate", toy_model, "--n-best", 2, "--align", "--json", stdin="bado kilu\n")
    assert all(each["alignment"] for each in json.loads(answer.lines[0])["alternatives"])


def test_lengths_that_exclude_each_other_are_refused(polyhead, toy_model):
    answer = polyhead("translate", toy_model, "--min-length", 30, "--max-length", 5, stdin="bado\n")
    assert answer.status == 2
    assert "--min-length 30 is above --max-length 5" in answer.err


def test_whole_lines_are_read_where_that_is_asked_for(polyhead, toy_model):
    apart = polyhead("translate", toy_model, "--json", stdin="Bado. Mera.\n")
    whole = polyhead("translate", toy_model, "--json", "--no-split", stdin="Bado. Mera.\n")
    assert [len(json.loads(each.lines[0])["sentences"]) for each in (apart, whole)] == [2, 1]


def test_fewer_translations_than_asked_for_are_said(polyhead, toy_model):
    """Of one token each there are no more than the vocabulary has."""
    arguments = ["translate", toy_model, "--n-best", 400, "--max-length", 1, "--no-repeat-ngram", 1]
    answer = polyhead(*arguments, stdin="bado kilu\n-\n\nmera\n")
    assert answer.status == 0
    found = [sum(line.startswith(f"{number} |||") for line in answer.lines) for number in range(4)]
    assert found[1:3] == [1, 1]
    assert 1 <= found[0] < 400
    assert f"polyhead: 2 lines have fewer than 400 translations (line 1: {found[0]})" in answer.err
    assert "fewer" not in polyhead("translate", toy_model, "--n-best", 3, stdin="bado kilu\n-\n").err
