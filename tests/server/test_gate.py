"""Who may ask."""

import pytest


def asks(client, host="localhost:8000", **headers):
    sent = {"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return client.get("/health", headers=sent)


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST.", "localhost:8000", "app.localhost", "127.0.0.1:80", "[::1]:8000", "192.168.1.7:8000"],
)
def test_this_machine_and_addresses_in_numbers_are_known(client, host):
    assert asks(client, host).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[", "a b"])
def test_another_name_that_leads_here_is_refused(client, host):
    answer = asks(client, host)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert "--allowed-host" in answer.json()["detail"]


def test_names_that_are_allowed_are_known(serve, tagged):
    with serve([tagged], allowed_hosts=("Translate.Example.org",)) as client:
        assert asks(client, "translate.example.org:443").status_code == 200
        assert asks(client, "other.example.org").status_code == 403
    with serve([tagged], allowed_hosts=("*",)) as client:
        assert asks(client, "other.example.org").status_code == 200


def test_another_web_page_may_not_ask(client):
    for origin in ("https://evil.example", "null", "http://localhost:9000", "http://localhost"):
        answer = client.post(
            "/translate", json={"q": "a", "target": "xb"}, headers={"Host": "localhost:8000", "Origin": origin}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), origin
        assert "--origin" in answer.json()["error"]
    assert client.options("/translate", headers={"Origin": "https://evil.example"}).status_code == 403


def test_the_servers_own_page_may_ask(client):
    assert asks(client, Origin="http://localhost:8000").status_code == 200
    behind_a_proxy = asks(
        client, "127.0.0.1:8000", Origin="https://translate.example.org", Sec_Fetch_Site="same-origin"
    )
    assert behind_a_proxy.status_code == 200
    assert asks(client, Origin="https://translate.example.org", Sec_Fetch_Site="cross-site").status_code == 403


def test_a_page_that_is_named_may_ask(serve, tagged):
    with serve([tagged], origins=("https://example.org/",)) as client:
        assert asks(client, Origin="https://example.org").status_code == 200
        assert asks(client, Origin="https://other.org").status_code == 403
    with serve([tagged], origins=("*",)) as client:
        assert asks(client, Origin="https://other.org").headers["access-control-allow-origin"] == "*"
