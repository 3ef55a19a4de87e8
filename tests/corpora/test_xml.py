"""XML that means harm: nothing is fetched, nothing is expanded, and what declares entities is refused."""

import http.server
import threading
from collections.abc import Iterator

import pytest

from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, tmx

LAUGHS = '<!ENTITY a "ha">' + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12))


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """An address, and the paths that were asked for there."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    running = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}", asked
    running.shutdown()
    thread.join()
    running.server_close()


def declaring(subset: str, text: str = "&m;") -> str:
    """A TMX file whose DOCTYPE declares something, and whose first text uses it."""
    file = tmx([{"en": text, "ko": "나"}], escaped=False)
    return file.replace('SYSTEM "tmx14.dtd">', f'SYSTEM "tmx14.dtd" [{subset}]>')


@pytest.mark.parametrize(
    "subset",
    [
        LAUGHS,
        '<!ENTITY m SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;',
        '<!ENTITY m "harmless">',
        "<!ATTLIST seg x CDATA 'y'>",
    ],
)
def test_declarations_are_refused(write: Write, subset: str) -> None:
    said = refusal(write("a.tmx", declaring(subset)))
    assert "declares entities of its own in its DOCTYPE" in said


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_in_wider_characters_too(write: Write, encoding: str) -> None:
    text = declaring(LAUGHS).replace("UTF-8", encoding.upper().replace("-LE", "LE"))
    assert "declares entities" in refusal(write("a.tmx", text.encode(encoding)))


@pytest.mark.parametrize("text", ["&m;", "word"])
def test_behind_a_long_comment_too(write: Write, text: str) -> None:
    file = declaring(LAUGHS, text).replace("<!DOCTYPE", f"<!--{'x' * 10_000}--><!DOCTYPE")
    assert "declares entities" in refusal(write("a.tmx", file))


def test_nothing_is_fetched(write: Write, server: tuple[str, list[str]]) -> None:
    address, asked = server
    text = tmx([{"en": "a", "ko": "나"}]).replace("tmx14.dtd", f"{address}/tmx14.dtd")
    assert pairs(write("a.tmx", text)) == [("a", "나")]
    external = declaring(f'<!ENTITY % p SYSTEM "{address}/p"> %p;').replace("tmx14.dtd", f"{address}/x")
    refusal(write("b.tmx", external))
    refusal(write("c.tmx", external.replace("<!DOCTYPE", f"<!--{'x' * 10_000}--><!DOCTYPE")))
    assert asked == []


def test_enormous_texts_and_depths_are_refused(write: Write) -> None:
    assert "no well-formed XML" in refusal(write("a.tmx", tmx([{"en": "x" * 11_000_000, "ko": "나"}])))
    deep = "<hi>" * 5000 + "x" + "</hi>" * 5000
    assert "no well-formed XML" in refusal(write("b.tmx", tmx([{"en": deep, "ko": "나"}], escaped=False)))
