"""The page with a trace inside it, as one file that needs no network."""

import json
from urllib.request import urlopen

import pytest

SENTENCE = "bado kilu mera noti pasu"


@pytest.fixture
def offline(visit_with, tmp_path):
    """(view) → a window that shows an exported file, without a network."""

    def open_file(**view):
        first = visit_with()
        trace = first.trace_of(q=SENTENCE, to="fr")
        first.get("map").wait_for()
        path = tmp_path / "trace.html"
        with urlopen(f"{trace.address}/api/traces/{trace.meta['id']}/export.html") as answer:
            path.write_bytes(answer.read())
        second = visit_with(offline=True)
        second.page.goto(path.as_uri() + "#" + "&".join(f"{key}={value}" for key, value in view.items()))
        return second, trace

    return open_file


def test_a_cell_is_computed_without_a_server(offline):
    file, trace = offline(at="decoder.cross", l=1, h=3, c="2.1")
    file.get("cell").wait_for()
    weights = trace.tensor("decoder.cross.weights", 1, 3)
    assert file.number("weight") == pytest.approx(weights[2, 1], abs=1e-3)
    assert file.get("target").inner_text().strip() == trace.meta["target"]["text"].strip()


def test_the_sentence_is_there_with_its_tokens(offline):
    file, trace = offline()
    file.get("map").wait_for()
    assert file.get("source").input_value() == SENTENCE
    pane = file.page.locator(".pane", has=file.get("source"))
    assert pane.locator(".token").count() == len(trace.meta["source"]["tokens"])


@pytest.mark.parametrize(
    "place", ["output", "beam", "heads", "encoder.ffn", "decoder.embedding", "encoder.self", "whatif"]
)
def test_every_part_is_inside(offline, place):
    file, _ = offline(at=place)
    file.page.locator("#inspector h3").wait_for()
    file.page.wait_for_timeout(200)
    assert file.page.locator("[role=alert]").count() == 0


def test_it_shows_itself_in_a_notebooks_frame(offline, visit_with, tmp_path):
    file, _ = offline()
    file.get("map").wait_for()
    frame = tmp_path / "frame.html"
    content = json.dumps((tmp_path / "trace.html").read_text(encoding="utf-8")).replace("<", "\\u003c")
    frame.write_text(f"<iframe></iframe><script>document.querySelector('iframe').srcdoc = {content}</script>")
    notebook = visit_with(offline=True)
    notebook.page.goto(frame.as_uri())
    notebook.page.frame_locator("iframe").get_by_test_id("map").wait_for()
    notebook.page.frame_locator("iframe").locator("[data-place=output]").click()
    notebook.page.frame_locator("iframe").get_by_test_id("candidates").wait_for()
