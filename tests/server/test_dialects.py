"""Problems in the words of each interface."""

import json

import pytest

from polyhead.server.dialects import respond, speaks_deepl, speaks_libretranslate
from polyhead.server.problems import FieldMissing, KeyMissing, Problem, TooManyTexts, UnknownLanguage


@pytest.mark.parametrize(
    ("problem", "own", "libre", "deepl"),
    [
        (Problem("bad_request", "no"), 400, 400, 400),
        (Problem("bad_request", "no", status=415), 415, 400, 400),
        (Problem("unauthorized", "no"), 401, 403, 403),
        (KeyMissing("unauthorized", "no"), 401, 400, 403),
        (Problem("forbidden", "no"), 403, 403, 403),
        (Problem("not_found", "no"), 404, 404, 404),
        (Problem("too_large", "no"), 413, 413, 413),
        (TooManyTexts("too_large", "no"), 413, 400, 400),
        (Problem("queue_full", "no", headers={"Retry-After": "3"}), 429, 429, 429),
        (Problem("internal", "no"), 500, 500, 500),
    ],
)
def test_each_interface_has_its_own_statuses(problem, own, libre, deepl):
    answers = [respond(path, problem) for path in ("/api/translate", "/translate", "/v2/translate")]
    assert [answer.status_code for answer in answers] == [own, libre, deepl]
    assert [json.loads(answer.body).get("status") for answer in answers] == [own, libre, None]
    assert json.loads(answers[1].body)["error"] == "no"
    assert json.loads(answers[2].body) == {"message": "no"}
    assert {answer.headers.get("retry-after") for answer in answers} == {(problem.headers or {}).get("Retry-After")}


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        (FieldMissing("q", "q: missing"), "Invalid request: missing q parameter"),
        (UnknownLanguage("zz", "no model writes 'zz'; there are en"), "zz is not supported"),
    ],
)
def test_libretranslates_own_words_stand_where_its_clients_look(problem, error):
    own, libre, deepl = (
        json.loads(respond(path, problem).body) for path in ("/api/translate", "/translate", "/v2/translate")
    )
    assert (own["error"], libre["error"], deepl["message"]) == (problem.detail, error, problem.detail)
    assert own["detail"] == libre["detail"] == problem.detail


def test_addresses_belong_to_one_interface():
    assert all(map(speaks_libretranslate, ("/translate", "/download_file/a", "/languages", "/frontend/settings")))
    assert not any(map(speaks_libretranslate, ("/translator", "/api/translate", "/v2/translate", "/")))
    assert [speaks_deepl(path) for path in ("/v2/usage", "/v2", "/translate")] == [True, False, False]
