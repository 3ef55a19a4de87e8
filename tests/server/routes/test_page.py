"""The page's files."""

import pytest

from polyhead.server.routes import page


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A page of two files."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "assets" / "app-1234.js").write_text("go()")
    (tmp_path / "secret").write_text("nobody is told")
    monkeypatch.setattr(page, "PAGE", tmp_path)


@pytest.mark.usefixtures("built")
def test_the_page_is_asked_for_anew_and_its_files_never_again(client):
    index = client.get("/")
    assert (index.text, index.headers["cache-control"]) == ("<!doctype html>", "no-cache")
    script = client.get("/assets/app-1234.js")
    assert "javascript" in script.headers["content-type"]
    assert "immutable" in script.headers["cache-control"]


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("name", ["../secret", "..%2Fsecret", "%2e%2e/secret", "nothing.js", ".", "%00"])
def test_nothing_else_is_given_away(client, name):
    answer = client.get(f"/assets/{name}")
    assert answer.status_code == 404
    assert "nobody is told" not in answer.text


def test_a_page_that_is_not_built_says_so(client, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path)
    assert "make web" in client.get("/").text
    assert client.get("/assets/app.js").status_code == 404


def test_the_page_may_load_from_this_server_alone(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy
