"""Fields of requests, in whatever encoding they come."""

import asyncio
import json
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.requests import Request

from polyhead.server.fields import SentFile, all_fields, fitting
from polyhead.server.problems import Problem

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NAME = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
FIELDS = st.dictionaries(NAME, TEXT | st.lists(TEXT, min_size=2, max_size=4), max_size=5)
BOUNDARY = "----a boundary of 0x7f3c's own"


def read(body=b"", kind=None, query=b""):
    headers = [] if kind is None else [(b"content-type", kind.encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": query, "headers": headers}
    scope |= {"server": ("localhost", 80), "scheme": "http"}

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    return asyncio.run(all_fields(Request(scope, receive), max_depth=16))


def pairs(fields):
    return [(name, each) for name, value in fields.items() for each in (value if isinstance(value, list) else [value])]


def multipart(parts):
    lines = b""
    for name, value in parts:
        content, more = (value, "") if isinstance(value, str) else (value[1], f'; filename="{value[0]}"')
        content = content.encode() if isinstance(content, str) else content
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
        lines += head.encode() + content + b"\r\n"
    return lines + f"--{BOUNDARY}--\r\n".encode(), f'multipart/form-data; boundary="{BOUNDARY}"'


@given(FIELDS)
def test_the_same_fields_are_read_from_every_encoding(fields):
    encoded = urlencode(pairs(fields)).encode()
    assert read(json.dumps(fields).encode(), "application/json") == fields
    assert read(json.dumps(fields, ensure_ascii=False).encode(), "application/x+json; charset=utf-8") == fields
    assert read(encoded, "application/x-www-form-urlencoded") == fields
    assert read(*multipart(pairs(fields))) == fields
    assert read(query=encoded) == fields


def test_the_body_is_believed_where_the_query_string_says_otherwise():
    assert read(b'{"q": "body"}', "application/json", b"q=query&target=de") == {"q": "body", "target": "de"}


def test_a_file_comes_as_it_was_sent():
    content = bytes(range(256)) * 10_000
    found = read(*multipart([("file", ("메시지.txt", content)), ("target", "de")]))
    assert found == {"file": SentFile("메시지.txt", content), "target": "de"}


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"q=%FF", "application/x-www-form-urlencoded", "not UTF-8"),
        (b"q=\xff", "application/x-www-form-urlencoded", "not UTF-8"),
        (multipart([("q", ("a", b""))])[0].replace(b'"a"', b'"\xff"'), multipart([])[1], "not UTF-8"),
        (multipart([("q", "a")])[0][:-20], multipart([])[1], "stops before its last boundary"),
        (b"rubbish", multipart([])[1], "no multipart form"),
        (b"rubbish", "multipart/form-data", "no multipart form"),
        (b"[]", "application/json", "must be a JSON object"),
        (b"", "application/json", "not JSON"),
        (b"<q/>", "application/xml", "the body is 'application/xml'; send application/json"),
        (multipart([("q", "")] * 10_001)[0], multipart([])[1], "more than 10000 parts"),
    ],
)
def test_what_cannot_be_read_is_said(body, kind, said):
    with pytest.raises(Problem, match=said) as problem:
        read(body, kind)
    assert problem.value.code == "bad_request"


@given(st.binary(max_size=60))
def test_whatever_a_multipart_body_holds_is_read_or_refused(rubbish):
    body, kind = multipart([("q", "a")])
    for broken in (rubbish, body[:-10] + rubbish, rubbish + body, body.replace(b"form-data", rubbish)):
        with suppress(Problem):
            read(broken, kind)


def test_a_field_that_does_not_fit_is_named():
    class Asked(BaseModel):
        number: int

    assert fitting({"number": "7", "other": "x"}, Asked).number == 7
    with pytest.raises(Problem, match="number: missing"):
        fitting({}, Asked)
