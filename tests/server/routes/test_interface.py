"""`/spec` and `/docs`."""

import re
from html.parser import HTMLParser

from polyhead.server.interface_page import interface_page

_VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """The addresses that a page loads or leads to, and whether its tags are nested as they should be."""

    def __init__(self):
        super().__init__()
        self.addresses, self.open, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("href", "src")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page):
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    return reader


def test_the_spec_is_the_description(client):
    assert client.get("/spec").json() == client.get("/openapi.json").json()


def test_the_page_tells_of_every_address_and_loads_nothing_from_elsewhere(client):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    reader = read(page.text)
    assert set(reader.addresses) == {"docs.css", "openapi.json"}
    assert "script" not in reader.tags
    assert not re.search(r"\sstyle=|<style", page.text), "the content security policy lets no style within a page be"
    for path in client.get("/spec").json()["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert client.get("/docs.css").headers["content-type"].startswith("text/css")
    assert client.get("/redoc").status_code == 404


def test_what_a_description_says_cannot_become_markup():
    rude = "<script>alert(1)</script>"
    field = {"type": rude, "description": rude, "default": rude, "enum": [rude]}
    body = {"content": {rude: {"schema": {"properties": {rude: field}, "required": [rude]}}}}
    operation = {"tags": [rude], "description": rude, "parameters": [{"name": rude, "in": rude, "schema": field}]}
    page = interface_page({"paths": {f"/{rude}": {"post": {**operation, "requestBody": body}}}})
    assert "script" not in read(page).tags
    assert "&lt;script&gt;" in page
