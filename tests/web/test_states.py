"""What the page says when something is missing or goes wrong; the text that was typed is always kept."""

import json

import pytest

SENTENCE = "bado kilu mera"


def problem(visit, code):
    note = visit.page.locator(f"[data-problem={code}]")
    note.first.wait_for()
    return note.first


def answer(visit, path, status, code, **headers):
    """From now on the server's answer to that path is a problem."""
    body = json.dumps({"type": "about:blank", "title": code, "status": status, "detail": "…", "code": code})
    kind = {"content_type": "application/problem+json", "headers": headers}
    visit.page.route(f"**{path}", lambda route: route.fulfill(status=status, body=body, **kind))


def forgive(visit):
    """The browser itself writes a line about every failed request; these were meant to fail."""
    visit.errors[:] = [line for line in visit.errors if "Failed to load resource" not in line]


def test_nothing_to_translate(visit):
    visit.open()
    visit.get("translate").click()
    assert "nothing to translate" in problem(visit, "empty").inner_text()


def test_too_long_to_look_into(visit):
    visit.open(q="bado kilu mera noti pasu. " * 30, to="fr")
    problem(visit, "too_long")
    assert visit.get("source").input_value().startswith("bado kilu")
    assert visit.get("target").inner_text().strip()
    forgive(visit)


def test_the_sentences_of_a_text_that_is_too_long_can_be_opened_and_left_again(visit):
    text = "bado kilu mera noti pasu. " * 30
    visit.open(q=text, to="fr")
    first = visit.get("sentences").get_by_role("button").first
    first.wait_for()
    sentence = first.inner_text()
    first.click()
    visit.get("map").locator("canvas").first.wait_for()
    assert visit.get("source").input_value() == sentence == text[: len(sentence)]
    visit.page.go_back()
    visit.get("sentences").wait_for()
    assert visit.get("source").input_value() == text
    forgive(visit)


def test_characters_outside_the_vocabulary_are_said_to_be_bytes(visit):
    visit.open(q="bado 🐱", to="fr")
    visit.get("bytes").wait_for()
    assert visit.page.locator(".pane", has=visit.get("source")).locator(".token.byte").count() == 4


def test_unknown_pieces_are_marked(visit):
    """As a model with a vocabulary of words would say it; this one spells what it doesn't know."""

    def forget(route):
        answer = route.fetch()
        meta = answer.json()
        meta["source"]["tokens"][1] |= {"piece": "<unk>", "unknown": True}
        route.fulfill(response=answer, json=meta)

    visit.page.route("**/api/traces", forget)
    visit.open(q=SENTENCE, to="fr")
    visit.page.locator(".token.unknown").first.wait_for()
    assert "not in the model" in visit.page.locator("section").first.inner_text()


def test_a_translation_in_few_bits_is_said_and_compared_in_the_same_precision(visit):
    """As a server of a wide model would answer on a machine with 8-bit products."""
    asked = []

    def round_off(route):
        request = json.loads(route.request.post_data)
        asked.append(request)
        answer = route.fetch()
        meta = answer.json()
        if "engine" not in request and meta["engine"] == {"engine": "prepared", "dtype": "float32"}:
            meta["engine"]["dtype"] = "int8"
        route.fulfill(response=answer, json=meta)

    visit.page.route("**/api/traces", round_off)
    visit.open(q=SENTENCE, to="fr", at="whatif")
    assert "int8" in visit.get("engine").inner_text()
    assert visit.get("engine").inner_text().endswith("float32.")
    visit.page.locator("[data-edit=no_positions]").click()
    visit.get("compared").wait_for()
    assert [one.get("engine") for one in asked].count("plain") == 1
    visit.page.unroute("**/api/traces")
    visit.page.reload()
    visit.get("compared").wait_for()
    assert visit.get("engine").count() == 0


def test_a_full_queue_says_when_to_come_again(visit):
    visit.open()
    answer(visit, "/api/translate/stream", 429, "queue_full", **{"Retry-After": "7"})
    visit.get("source").fill(SENTENCE)
    visit.get("translate").click()
    note = problem(visit, "queue_full")
    assert "7 seconds" in note.inner_text()
    assert visit.get("source").input_value() == SENTENCE
    visit.page.unroute("**/api/translate/stream")
    note.get_by_role("button").click()
    visit.get("map").wait_for()
    forgive(visit)


def test_a_server_that_is_gone(visit):
    visit.open()
    visit.get("translate").wait_for()
    visit.page.context.set_offline(True)
    visit.get("source").fill(SENTENCE)
    visit.get("translate").click()
    note = problem(visit, "server_gone")
    visit.page.context.set_offline(False)
    note.get_by_role("button").click()
    visit.get("map").wait_for()
    forgive(visit)


def test_a_stream_that_is_cut(visit):
    visit.open()
    cut = {"status": 200, "content_type": "text/event-stream", "body": "event: encoder\ndata: {}\n\n"}
    visit.page.route("**/api/translate/stream", lambda route: route.fulfill(**cut))
    visit.get("source").fill(SENTENCE)
    visit.get("translate").click()
    problem(visit, "stream_cut")


def test_a_trace_that_the_server_gave_up_is_made_again(visit):
    trace = visit.trace_of(q=SENTENCE, to="fr", at="source.tokens")
    visit.page.locator("#inspector table").wait_for()
    deleted = visit.page.request.delete(f"{visit.address}/api/traces/{trace.meta['id']}")
    assert deleted.status == 204
    visit.page.keyboard.press("3")
    visit.get("map").locator("canvas").wait_for()
    forgive(visit)


def test_a_trace_that_the_server_never_keeps_is_not_made_again_and_again(visit):
    answer(visit, "/api/traces/*/tensors/*", 410, "gone")
    made = []
    visit.page.on("request", lambda request: made.append(request.url.endswith("/api/traces")))
    visit.open(q=SENTENCE, to="fr", at="encoder.embedding")
    note = problem(visit, "gone")
    note.get_by_role("button").wait_for()
    visit.page.wait_for_timeout(1000)
    assert sum(made) == 2
    visit.page.unroute("**/api/traces/*/tensors/*")
    note.get_by_role("button").click()
    visit.page.locator("#inspector canvas").first.wait_for()
    forgive(visit)


@pytest.mark.parametrize("code", ["unknown_language", "timeout", "too_large", "model_unavailable", "bad_request"])
def test_every_other_problem_has_words(visit, code):
    visit.open()
    answer(visit, "/api/translate/stream", 400, code)
    visit.get("source").fill(SENTENCE)
    visit.get("translate").click()
    assert len(problem(visit, code).inner_text()) > 30
    forgive(visit)
