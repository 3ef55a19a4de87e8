"""`/translate_file` and `/download_file`."""

import threading
import time
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from polyhead.errors import PolyheadError
from polyhead.server.app import build_app
from polyhead.server.file_translation import FileFormats, TranslatedFile
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.translating.translator import Translator


def send(client, content, name="a.txt", **fields):
    return client.post("/translate_file", files={"file": (name, content)}, data={"target": "xb", **fields})


@pytest.fixture
def with_formats(tagged):
    """formats → a client of a server that has them."""
    opened = []

    def make(translate, **settings):
        formats = FileFormats((".txt", ".doc"), translate)
        services = Services.start(open_directories([tagged]), ServerConfig(**settings), formats)
        opened.append(TestClient(build_app(services), "http://localhost", raise_server_exceptions=False))
        return opened[-1].__enter__()

    yield make
    for client in opened:
        client.__exit__(None, None, None)


@pytest.mark.parametrize("source", ["auto", "xa", "", "XA"])
def test_a_file_comes_back_in_translation(client, tagged, source):
    lines = ["bado kilu.\n", "\n", "  mera noti!\r\n"]
    answer = send(client, "".join(lines).encode(), "나의 파일.txt", source=source)
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"translatedFileUrl"}
    address = answer.json()["translatedFileUrl"]
    assert address.startswith("http://localhost/download_file/")
    fetched = client.get(address)
    expected = Translator.load(tagged).translate(lines, target_language="xb")
    assert fetched.content.decode() == "".join(each.text for each in expected)
    assert unquote(fetched.headers["content-disposition"]) == "attachment; filename*=UTF-8''나의 파일.txt"
    assert fetched.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("name", "content"), [("train.en", b"bado kilu.\n"), ("page", b"<html><p>bado kilu.</p></html>")]
)
def test_a_file_is_known_by_its_language_or_by_its_beginning(client, name, content):
    answer = send(client, content, name)
    assert answer.status_code == 200, answer.text
    assert client.get(answer.json()["translatedFileUrl"]).content != content


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "a.exe"}, "a.exe: neither its name nor its content says what it is; give its name the ending"),
        ({"name": "a"}, "a: neither its name nor its content says"),
        ({"name": "a.txt", "content": b"%PDF-1.7"}, "a.txt: it is a PDF document, which is not translated here"),
        ({"target": "fr"}, "fr is not supported"),
        ({"source": "fr"}, "fr is not supported"),
        ({"target": ""}, "target"),
        ({"content": b"\xff"}, "a.txt:1: it is not UTF-8"),
        ({"content": b"x" * 2001}, "the text has 2001 characters"),
    ],
)
def test_what_is_wrong_is_said(client, change, said):
    answer = send(client, **{"content": b"bado", **change})
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_a_file_that_is_missing_or_is_none_is_said(client):
    assert "missing file parameter" in client.post("/translate_file", data={"target": "xb"}).json()["error"]
    assert "file:" in client.post("/translate_file", json={"target": "xb", "file": "a"}).json()["error"]


def test_a_file_may_be_larger_than_other_requests_and_no_larger_than_a_file(serve, tagged):
    with serve([tagged], max_body=1000, max_file=3000) as client:
        assert send(client, b"\n" * 2000).status_code == 200
        answer = send(client, b"\n" * 80_000)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert send(client, b"\n" * 4000).status_code == 413


@pytest.mark.parametrize("key", ["nothing.txt", "..%2F..%2Fetc%2Fpasswd", "%2e%2e", "a" * 5000])
def test_a_name_that_nobody_was_told_gives_nothing(client, key):
    assert client.get(f"/download_file/{key}").status_code == 404


def test_formats_are_given_what_they_need_and_their_problems_are_told(with_formats):
    asked = []

    def translate(content, name, translate, target_language, source_language, kind=None):
        asked.append((content, name, target_language, source_language))
        return TranslatedFile(b"done", ("line 3 lost its placeholder",))

    client = with_formats(translate)
    answer = send(client, b"\0\1", "a.DOC", source="xa")
    assert answer.json()["problems"] == ["line 3 lost its placeholder"]
    assert client.get(answer.json()["translatedFileUrl"]).content == b"done"
    assert asked == [(b"\0\1", "a.DOC", "xb", "xa")]
    assert client.get("/frontend/settings").json()["supportedFilesFormat"] == [".txt", ".doc"]


def test_a_file_that_takes_too_long_is_given_up_and_others_are_turned_away(with_formats):
    may_go, begun = threading.Event(), threading.Event()

    def wait(*asked):
        begun.set()
        may_go.wait(20)
        return TranslatedFile(b"")

    client = with_formats(wait, file_timeout=0.5, max_files_at_once=1)
    first = threading.Thread(target=lambda: answers.append(send(client, b"a")))
    answers = []
    first.start()
    assert begun.wait(20)
    second = send(client, b"b")
    first.join()
    may_go.set()
    assert (second.status_code, second.headers["retry-after"]) == (429, "60")
    assert (answers[0].status_code, answers[0].json()["code"]) == (504, "timeout")


def test_a_file_counts_until_its_thread_is_done_with_it(with_formats):
    may_go = threading.Event()

    def wait(*asked):
        may_go.wait(20)
        return TranslatedFile(b"")

    client = with_formats(wait, file_timeout=0.1, max_files_at_once=1)
    answers = [send(client, b"a").status_code for _ in range(3)]
    may_go.set()
    assert answers == [504, 429, 429]
    deadline = time.monotonic() + 20
    while (answer := send(client, b"a")).status_code == 429 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert answer.status_code == 200


def test_a_broken_file_is_the_clients_and_a_broken_format_the_servers(with_formats):
    def broken(content, *asked):
        raise PolyheadError("a.doc is damaged") if content == b"bad" else ZeroDivisionError("secret")

    client = with_formats(broken)
    answer = send(client, b"bad")
    assert (answer.status_code, answer.json()["error"]) == (400, "a.doc is damaged")
    answer = send(client, b"worse")
    assert answer.status_code == 500
    assert "secret" not in answer.text


PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.py:1
msgid "bado %s kilu"
msgstr ""
"""


def test_files_of_known_formats_keep_their_form(client):
    srt = b"1\r\n00:00:01,000 --> 00:00:02,500\r\nbado kilu\r\n\r\n"
    page = b'<!doctype html><p id="a">bado <b>kilu</b></p>'
    for name, content, kept in (
        ("a.srt", srt, [b"1\r\n00:00:01,000 --> 00:00:02,500\r\n"]),
        ("a.HTML", page, [b'<!doctype html><p id="a">', b"<b>", b"</b>", b"</p>"]),
        ("a.po", PO.encode(), [b'msgid "bado %s kilu"', b"#: a.py:1"]),
    ):
        answer = send(client, content, name)
        assert answer.status_code == 200, answer.text
        found = client.get(answer.json()["translatedFileUrl"]).content
        assert [each for each in kept if found.count(each) != 1] == [], name
        assert found != content
