"""What every answer goes through."""

import pytest


@pytest.mark.parametrize("path", ["/", "/health", "/languages", "/api/models", "/openapi.json", "/docs"])
def test_head_gives_what_get_gives_without_the_body(client, path):
    head, get = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    assert int(head.headers["content-length"]) == len(get.content)


def test_head_of_nothing_is_not_found(client):
    head = client.head("/nothing")
    assert (head.status_code, head.content) == (404, b"")


def test_head_is_counted_as_such(client):
    client.head("/languages")
    assert 'polyhead_requests_total{method="HEAD",route="/languages",status="200"}' in client.get("/metrics").text
