"""Translate, look inside, and check the page's arithmetic against NumPy's."""

import json

import numpy as np
import pytest

SENTENCE = "bado kilu mera noti pasu"


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def recomputed(trace, site, layer, head):
    """Scaled scores with −∞ where masked, and the weights, from q, k and the mask alone."""
    query, key = (trace.tensor(f"{site}.{name}", layer, head) for name in "qk")
    mask = trace.tensor(f"{site}.mask", layer, head).astype(bool)
    raw = query @ key.T
    scaled = raw / np.sqrt(query.shape[-1])
    return query, key, raw, scaled, softmax(np.where(mask, scaled, -np.inf)), mask


def click_cell(visit, trace, site, row, column):
    """Clicks the middle of a cell of the large map."""
    entry = next(one for one in trace.meta["sites"] if one["name"] == site)
    cells = visit.get("map").locator(".cells")
    box = cells.bounding_box()
    place = {"x": (column + 0.5) * box["width"] / entry["columns"], "y": (row + 0.5) * box["height"] / entry["rows"]}
    cells.click(position=place)


def test_typing_a_sentence_translates_it_and_opens_the_inspector(visit):
    visit.open()
    visit.get("source").fill(SENTENCE)
    with visit.page.expect_response(lambda answer: answer.url.endswith("/api/traces")) as made:
        visit.page.keyboard.press("Control+Enter")
    meta = made.value.json()
    visit.get("map").locator("canvas").wait_for()
    assert visit.get("target").inner_text().strip() == meta["target"]["text"].strip()
    assert visit.page.locator(".tokens button").count() >= len(meta["source"]["tokens"])


@pytest.mark.parametrize(
    ("site", "layer", "head", "row", "column"), [("decoder.cross", 1, 5, 2, 3), ("encoder.self", 4, 0, 0, 1)]
)
def test_the_arithmetic_of_a_clicked_cell_is_numpys(visit, site, layer, head, row, column):
    trace = visit.trace_of(q=SENTENCE, to="fr", at=site, l=layer, h=head)
    visit.get("map").locator("canvas").wait_for()
    click_cell(visit, trace, site, row, column)
    visit.get("cell").wait_for()
    query, key, raw, scaled, weights, _ = recomputed(trace, site, layer, head)
    assert visit.number("sum") == pytest.approx(raw[row, column], rel=1e-6, abs=1e-9)
    assert visit.number("scaled") == pytest.approx(scaled[row, column], rel=1e-6, abs=1e-9)
    assert visit.number("weight") == pytest.approx(weights[row, column], rel=1e-6)
    denominator = np.exp(scaled[row] - scaled[row].max()).sum()
    assert visit.number("weight", "denominator") == pytest.approx(denominator, rel=1e-6)
    terms = [float(cell.get_attribute("data-term")) for cell in visit.page.locator("[data-term]").all()]
    assert terms == pytest.approx(list(query[row] * key[column]), rel=1e-6, abs=1e-9)
    recorded = trace.tensor(f"{site}.weights", layer, head)
    assert recorded == pytest.approx(weights, abs=1e-5)


def test_a_row_sums_to_one_and_what_is_masked_weighs_exactly_nothing(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="decoder.self", l=1, h=2, c="3.0")
    visit.get("cell").wait_for()
    frame = visit.get("map").get_by_role("application")
    columns = next(one for one in trace.meta["sites"] if one["name"] == "decoder.self")["columns"]
    weights, masked = [], []
    for column in range(columns):
        visit.page.locator(f"[data-testid=cell][data-column='{column}']").wait_for()
        weights.append(visit.number("weight"))
        masked.append(visit.get("mask").get_attribute("data-masked") == "true")
        frame.press("ArrowRight")
    assert sum(weights) == pytest.approx(1, abs=1e-12)
    assert masked == [column > 3 for column in range(columns)]
    assert all(weight == 0 for weight, hidden in zip(weights, masked, strict=True) if hidden)
    assert visit.get("weight").locator(".result").text_content() == "0"
    assert (trace.tensor("decoder.self.weights", 1, 2)[~recomputed(trace, "decoder.self", 1, 2)[-1]] == 0).all()


def test_masked_cells_are_hatched(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="decoder.self", s="mask")
    visit.get("map").locator("canvas").wait_for()
    count = """(canvas, size) => {
        const side = canvas.width / size, at = (row, column) => new Set(canvas.getContext("2d").getImageData(
            column * side + 1, row * side + 1, side - 2, side - 2).data.reduce((all, value, i, data) =>
            i % 4 ? all : [...all, data[i] << 16 | data[i + 1] << 8 | data[i + 2]], [])).size;
        return [at(0, size - 1), at(size - 1, 0)];
    }"""
    size = len(trace.meta["target"]["tokens_in"])
    hatched, plain = visit.get("map").locator("canvas").evaluate(count, size)
    assert hatched > 2
    assert plain == 1


def test_the_address_brings_the_same_view_back(visit_with):
    first = visit_with()
    first.open(q=SENTENCE, to="ko", at="decoder.cross", l=0, h=3, s="scaled", c="2.1", lang="ko", theme="dark")
    first.get("cell").wait_for()
    first.page.keyboard.press(".")
    first.page.locator("[data-testid=map-title]", has_text="헤드 5").wait_for()
    address = first.page.url
    second = visit_with()
    second.page.goto(address)
    second.get("cell").wait_for()
    assert second.get("map").get_attribute("data-stage") == "scaled"
    assert second.get("map-title").inner_text() == first.get("map-title").inner_text()
    assert second.number("weight") == first.number("weight")
    assert second.get("direction").input_value() == "1"
    assert second.page.locator("html").get_attribute("data-theme") == "dark"
    assert second.page.url == address


def test_the_back_button_goes_back_to_the_part_before(visit):
    visit.trace_of(q=SENTENCE, to="fr")
    visit.get("map").wait_for()
    visit.page.locator("[data-place=output]").click()
    visit.get("candidates").wait_for()
    visit.page.go_back()
    visit.get("map").wait_for()


def test_the_diagonal_can_be_pointed_at(visit):
    """There a token is both the query and the key."""
    trace = visit.trace_of(q=SENTENCE, to="fr", at="encoder.self")
    cells = visit.get("map").locator(".cells")
    box = cells.bounding_box()
    side = box["width"] / len(trace.meta["source"]["tokens"])
    for place in (2.5, 4.5):
        cells.hover(position={"x": place * side, "y": place * side})
    visit.until("document.querySelectorAll('[data-testid=map] .cross').length === 2")
    assert visit.page.locator(".pane .token.lit").count() == 1


def test_the_first_language_is_taken_where_the_address_names_none(visit):
    assert visit.trace_of(q=SENTENCE).meta["language"] == "fr"


def test_the_output_shows_the_likeliest_pieces(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="output", t=2)
    visit.page.locator("[data-testid=candidates][data-step='2']").wait_for()
    shown = [float(one.get_attribute("data-probability")) for one in visit.page.locator("[data-probability]").all()]
    wanted = [one["probability"] for one in trace.read("probabilities?t=2&k=12")["candidates"]]
    assert shown == pytest.approx(wanted)
    visit.page.keyboard.press("ArrowRight")
    visit.page.locator("[data-testid=candidates][data-step='3']").wait_for()


@pytest.mark.parametrize(
    "place",
    [
        "source.tokens",
        "target.tokens",
        "encoder.embedding",
        "decoder.embedding",
        "encoder.self.norm",
        "decoder.cross.norm",
        "encoder.ffn",
        "decoder.ffn.norm",
        "heads",
    ],
)
def test_every_part_opens(visit, place):
    visit.trace_of(q=SENTENCE, to="fr")
    visit.get("map").wait_for()
    visit.page.locator(f"[data-place='{place}']").click()
    visit.page.locator("#inspector table, #inspector figure canvas").first.wait_for()
    assert visit.page.locator("#inspector [role=alert]").count() == 0


def test_a_seen_sum_is_that_of_embedding_and_position(visit):
    visit.trace_of(q=SENTENCE, to="fr", at="encoder.embedding", c="2.7")
    text = visit.get("embedding-sum").inner_text().replace("−", "-").split("d = 7:")[1]
    left, right = text.split("=")
    embedding, position = left.split("+")
    assert float(embedding) + float(position) == pytest.approx(float(right), abs=2e-3)


def test_the_beam_is_a_tree_of_what_the_trace_tells(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="beam", b=3)
    visit.page.locator("[data-node]").first.wait_for()
    steps = trace.meta["beam"]["steps"]
    alive = {node["id"] for step in steps for node in step["candidates"] if node["state"] != "pruned"}
    drawn = {int(node.get_attribute("data-node")) for node in visit.page.locator("[data-node]").all()}
    assert alive <= drawn


def test_other_translations_are_listed_behind_the_best(visit):
    visit.trace_of(q=SENTENCE, to="fr", n=3, b=3)
    visit.page.get_by_role("list", name="Other translations").wait_for()
    assert visit.page.get_by_role("list", name="Other translations").locator("li").count() == 2


def test_taking_something_away_is_compared(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="whatif")
    visit.page.locator("[data-mute='decoder.cross.1.0']").click()
    visit.get("compared").wait_for()
    with visit.page.expect_response(lambda answer: answer.url.endswith("/api/traces")):
        visit.page.locator("[data-edit=no_positions]").click()
    visit.get("edited").click()
    visit.page.keyboard.press("1")
    visit.get("map").locator("canvas").wait_for()
    assert visit.page.locator(".edited").count() == 1
    assert "mute=decoder.cross.1.0" in visit.page.url
    assert "nopos=1" in visit.page.url
    assert trace.meta["edits"]["mute"] == []


def test_padding_changes_nothing(visit):
    visit.trace_of(q="bado kilu", to="fr", at="padding")
    visit.get("padding-difference").wait_for()
    assert visit.number("padding-difference") < 1e-4
    visit.page.locator("figure canvas").nth(2).wait_for()


def filled(visit, most):
    """As many words as make at most so many tokens, with the tag and the end of the sentence."""
    for count in range(most, 0, -1):
        asked = {"model": "toy", "side": "source", "text": " ".join(["bado"] * count)}
        answer = visit.page.request.post(f"{visit.address}/api/tokenize", data=asked)
        if len(answer.json()["tokens"]) + 2 <= most:
            return asked["text"]
    raise AssertionError("not even one word")


@pytest.mark.parametrize(("most", "fits"), [(52, True), (60, False)])
def test_the_companion_is_as_long_as_the_model_takes(visit, most, fits):
    visit.trace_of(q=filled(visit, most), to="fr", at="padding")
    if fits:
        visit.get("padding-difference").wait_for()
    else:
        visit.page.get_by_text("no longer one fits").wait_for()
    assert visit.page.locator("#inspector [role=alert]").count() == 0


def test_a_translation_of_ones_own_is_looked_at(visit):
    visit.trace_of(q=SENTENCE, to="fr")
    visit.page.locator("summary", has_text="your own").click()
    visit.page.get_by_label("Look at a translation of your own").fill("kilu bado")
    with visit.page.expect_response(lambda answer: answer.url.endswith("/api/traces")) as made:
        visit.page.get_by_role("button", name="Look at it").click()
    assert made.value.json()["target"]["given"]
    visit.page.locator("[data-testid=target]", has_text="kilu bado").wait_for()


def test_the_ancestors_show_what_they_have(visit):
    trace = visit.trace_of(m="rnn-attention", q=SENTENCE, to="fr", c="1.2")
    visit.get("weight").wait_for()
    assert visit.number("weight") == pytest.approx(trace.tensor("decoder.cross.weights", 0, 0)[1, 2], abs=1e-5)
    visit.trace_of(m="rnn", q=SENTENCE, to="fr")
    visit.get("candidates").wait_for()
    assert visit.page.locator("[data-place='encoder.self']").count() == 0


def test_a_long_sentence_is_shown_through_a_window(visit):
    trace = visit.trace_of(q=" ".join(SENTENCE.split() * 3), to="fr", at="encoder.self")
    columns = len(trace.meta["source"]["tokens"])
    visit.get("map").locator("canvas").first.wait_for()
    assert visit.get("map").locator("canvas").count() == (2 if columns > 64 else 1)


def test_files_are_handed_out(visit):
    visit.trace_of(q=SENTENCE, to="fr")
    visit.get("map").wait_for()
    for name in ("PNG", "SVG", "CSV"):
        with visit.page.expect_download() as taken:
            visit.page.get_by_role("button", name=name, exact=True).click()
        assert taken.value.path().stat().st_size > 200
    with visit.page.expect_download() as taken:
        visit.page.get_by_role("button", name="JSON", exact=True).click()
    assert json.loads(taken.value.path().read_text(encoding="utf-8"))["meta"]["source"]["text"] == SENTENCE
