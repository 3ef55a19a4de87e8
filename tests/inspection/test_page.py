"""A trace inside the page, and what a sentence or a missing page could spoil."""

import base64
import io

import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection import page
from polyhead.inspection.tensors import Tensors


def unpacked(text: str) -> np.ndarray:
    return np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False)


def test_large_tensors_take_half_the_bytes_where_their_values_allow_it():
    draw = np.random.default_rng(0)
    noted = {
        ("encoder.input", None): draw.normal(size=(128, 128)).astype(np.float32),
        ("encoder.output", None): draw.normal(size=(129, 128)).astype(np.float32),
        ("decoder.output", None): np.full((129, 128), 1e6, np.float32),
    }
    packed = page.embedded({}, Tensors(noted, {}), [], [])["tensors"]
    assert [unpacked(text).dtype for text in packed.values()] == [np.float32, np.float16, np.float32]
    for (name, _), array in noted.items():
        np.testing.assert_allclose(unpacked(packed[f"{name}@"]), array, atol=1e-2)


def test_json_has_no_numbers_that_browsers_lack():
    with pytest.raises(ValueError, match="not JSON compliant"):
        page.as_json({"score": float("nan")})


@pytest.fixture
def single(monkeypatch, tmp_path):
    file = tmp_path / "server" / "page" / "single.html"
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(page.resources, "files", lambda package: tmp_path)
    return file


def test_a_page_that_is_missing_or_takes_nothing_in_is_said(single):
    with pytest.raises(PolyheadError, match="make web"):
        page.as_page({})
    single.write_text("<!doctype html>", encoding="utf-8")
    with pytest.raises(PolyheadError, match="no <!--polyhead-trace-->"):
        page.as_page({})


def test_a_sentence_cannot_leave_its_script(single):
    single.write_text(f"<head>{page.PLACEHOLDER}</head><script>find('{page.PLACEHOLDER}')</script>", encoding="utf-8")
    made = page.as_page({"text": "</script><!-- <b>\u2028"})
    assert made.count("</script>") == 2
    assert made.count("\\u003c") == 3
    assert made.endswith(f"<script>find('{page.PLACEHOLDER}')</script>"), "only the first place takes the trace in"


def test_a_frame_escapes_its_page():
    framed = page.framed('<p title="x">&amp;</p>', height=5)
    assert "&lt;p title=&quot;x&quot;&gt;&amp;amp;" in framed
    assert "height: 5px" in framed


def test_the_built_page_takes_a_trace_in():
    if not page.resources.files("polyhead").joinpath("server", "page", "single.html").is_file():
        pytest.skip("the page is not built")
    made = page.as_page({"meta": {}})
    assert '<script type="application/json" id="polyhead-trace">{"meta":{}}</script>' in made.partition("</head>")[0]
