"""What a trace can be asked, drawn as and saved as."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection import page
from polyhead.inspection.sentence import labels
from polyhead.inspection.tensors import UnknownPart
from polyhead.inspection.trace import Trace, trace

TEXT = "bado </script> kilu"
MAGIC = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF", ".npz": b"PK", ".json": b"{", ".html": b"<!doctype"}


@pytest.fixture
def found(translator_of) -> Trace:
    return trace(translator_of("paper"), TEXT, target_language="xb")


@pytest.fixture
def single(monkeypatch, tmp_path) -> None:
    """A page in the place of the built one."""
    file = tmp_path / "server" / "page" / "single.html"
    file.parent.mkdir(parents=True)
    file.write_text(f"<!doctype html><head>{page.PLACEHOLDER}</head><body>페이지</body>", encoding="utf-8")
    monkeypatch.setattr(page.resources, "files", lambda package: tmp_path)


def test_a_cell_names_its_tokens(found):
    for site, rows, columns in (
        ("encoder.self", found.source, found.source),
        ("decoder.self", found.target.tokens_in, found.target.tokens_in),
        ("decoder.cross", found.target.tokens_out, found.source),
    ):
        cell = found.cell(site, 1, 2, 1, 0)
        assert cell["query_token"] == rows[1].json()
        assert cell["key_token"] == columns[0].json()
        assert cell["weight"] == found.tensor(f"{site}.weights", 1, 2)[1, 0]
    json.dumps(found.cell("decoder.self", 0, 0, 0, 1), allow_nan=False)


def test_heads_and_probabilities_are_plain_json(found):
    heads = json.loads(json.dumps(found.heads(), allow_nan=False))
    assert [(one["site"], one["layer"], one["head"]) for one in heads] == [
        (site, n, h) for site, layers in (("encoder.self", 2), ("decoder.self", 3), ("decoder.cross", 3))
        for n in range(layers) for h in range(4)
    ]  # fmt: skip
    top = json.loads(json.dumps(found.probabilities(0, 4), allow_nan=False))
    assert len(top["candidates"]) == 4
    assert top["given"]["id"] == found.target.tokens_out[0].id


def test_npz_holds_every_tensor_exactly(found):
    with np.load(io.BytesIO(found.export("npz")), allow_pickle=False) as file:
        assert set(file) == {*found.tensors.layers, "output.log_probabilities", "meta"}
        for name in found.tensors.layers:
            np.testing.assert_array_equal(file[name], found.tensor(name))
        assert json.loads(str(file["meta"]))["source"]["text"] == TEXT


def test_json_holds_every_layer_as_npy(found):
    value = json.loads(found.export("json"))
    assert {"meta", "tensors", "overviews", "heads", "probabilities"} == set(value)
    assert {"id", "expires_in", "model", "beam"} <= set(value["meta"])
    for name, count in found.tensors.layers.items():
        for layer in [None] if count is None else range(count):
            packed = value["tensors"][f"{name}@{'' if layer is None else layer}"]
            array = np.load(io.BytesIO(base64.b64decode(packed)), allow_pickle=False)
            np.testing.assert_array_equal(array, found.tensor(name, layer))
    maps = np.load(io.BytesIO(base64.b64decode(value["overviews"]["decoder.cross"])))
    np.testing.assert_array_equal(maps, found.overview("decoder.cross"))
    assert len(value["probabilities"]) == len(found.target.tokens_out)
    assert len(value["probabilities"][0]["candidates"]) == 20


def test_html_is_the_page_with_the_trace_inside(found, single):
    html = found.export("html").decode()
    before, _, rest = html.partition('<script type="application/json" id="polyhead-trace">')
    script, _, after = rest.partition("</script>")
    assert (before, after) == ("<!doctype html><head>", "</head><body>페이지</body>")
    assert json.loads(script) == json.loads(found.export("json"))
    framed = found._repr_html_()
    assert framed.startswith("<iframe")
    assert "<!doctype" not in framed, "the page inside is escaped"


@pytest.mark.parametrize("suffix", MAGIC)
def test_the_suffix_chooses_what_is_saved(found, single, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    written = found.save(tmp_path / "new" / f"trace{suffix}")
    assert written.read_bytes().startswith(MAGIC[suffix])


def test_unknown_wishes_are_refused_with_what_there_is(found, translator_of, tmp_path: Path):
    for wish, said in (
        (lambda: found.save(tmp_path / "trace.gif"), r"\.html, \.json, \.npz, \.svg, \.png or \.pdf"),
        (lambda: found.export("xml"), "json, npz, html"),
        (lambda: found.figure(format="gif"), "svg, png, pdf"),
        (lambda: found.figure("decoder.self", 3), "no layer 3: it has 3"),
        (lambda: found.figure("decoder.self", -4), "no layer -1: it has 3"),
        (lambda: found.figure("decoder.cross", 0, 4), r"no heads \[4\]"),
        (lambda: trace(translator_of("rnn"), "bado", target_language="xb").plot(), "rnn model has no attention"),
    ):
        with pytest.raises(PolyheadError, match=said):
            wish()
    with pytest.raises(UnknownPart, match="there is no tensor encoder.cross.weights; there are encoder.embedding"):
        found.overview("encoder.cross")
    assert not list(tmp_path.iterdir())


def test_a_figure_hatches_what_is_masked(found):
    figure = found.plot("decoder.self", 0, theme="dark")
    [image] = figure.axes[0].get_images()
    np.testing.assert_array_equal(image.get_array().mask, ~found.tensor("decoder.self.mask", 0, 0))
    assert figure.axes[0].patch.get_hatch()
    assert figure.axes[0].get_yticklabels()[0].get_text() == "<sos>"
    assert figure.get_suptitle() == f"{TEXT}\nmasked decoder self-attention, layer 1"
    assert figure.axes[0].get_yticklabels()[1].get_text() == labels(found.target.tokens_in)[1]
    assert found.plot().get_suptitle().endswith("encoder-decoder attention, layer 3")
