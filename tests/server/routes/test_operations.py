"""`/health`, `/metrics`."""


def test_health(client):
    assert client.get("/health").json() == {"status": "ok"}


def test_metrics_count_by_pattern_not_by_address(client):
    client.get("/api/traces/some-id")
    client.get("/no/such/address")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'polyhead_requests_total{method="GET",route="/api/traces/{id}",status="404"}' in answer.text
    assert "some-id" not in answer.text
    assert "no/such" not in answer.text


def test_methods_that_nobody_knows_are_counted_together(client):
    for number in range(3):
        client.request(f"METHOD{number}", "/api/models")
    text = client.get("/metrics").text
    assert "METHOD" not in text
    assert 'method="other",route="/api/models",status="405"} 3.0' in text
