"""Where recorded calls go."""

import socket

import pytest

from passfloor.errors import UsageError
from passfloor.recording.upstreams import Upstream, check_reachable, parse_upstreams


def urls(given=(), environ=None):
    return {name: upstream.url for name, upstream in parse_upstreams(given, environ or {}).items()}


def test_without_a_word_calls_go_where_the_clients_would_send_them():
    assert urls() == {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
    environ = {"OPENAI_BASE_URL": "http://h:1/v1/", "ANTHROPIC_BASE_URL": ""}
    assert urls(environ=environ) == {"openai": "http://h:1/v1", "anthropic": "https://api.anthropic.com"}


def test_one_url_is_every_provider_s():
    assert urls(["http://h:1/v1"]) == {"openai": "http://h:1/v1", "anthropic": "http://h:1"}
    assert urls(["http://h:1/x=y/v1"])["openai"] == "http://h:1/x=y/v1"


def test_a_provider_that_is_named_has_its_own():
    given = ["anthropic=http://a/v1", "openai=http://o"]
    assert urls(given, {"OPENAI_BASE_URL": "http://never"}) == {
        "anthropic": "http://a/v1",
        "openai": "http://o",
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["ftp://h"], "--upstream is no http or https URL"),
        (["http://"], "--upstream is no http or https URL"),
        (["http://h:0"], "--upstream is no http or https URL"),
        (["http://h:x"], "--upstream is no http or https URL"),
        (["http://a..b"], "--upstream is no http or https URL"),
        ([f"http://{'a' * 64}"], "--upstream is no http or https URL"),
        (["openai="], "--upstream is no http or https URL"),
        (["http://h/\u00fc"], "--upstream is no http or https URL"),
        (["http://me:secret@h"], "--upstream holds a user or password"),
        (["http://h?key=secret"], "--upstream holds a query or a fragment"),
        (["http://h#secret"], "--upstream holds a query or a fragment"),
        (["google=http://h"], "--upstream 'google'=...: name openai or anthropic"),
        (["openai=http://a", "openai=http://b"], "--upstream gives openai two addresses"),
        (["http://a", "anthropic=http://b"], "--upstream gives anthropic two addresses"),
    ],
)
def test_what_is_no_address_is_refused_and_never_repeated(given, said):
    with pytest.raises(UsageError) as refused:
        parse_upstreams(given, {})
    assert str(refused.value).startswith(said)
    assert "secret" not in str(refused.value)


def test_a_variable_that_holds_no_address_is_named():
    with pytest.raises(UsageError, match=r"^OPENAI_BASE_URL is no http or https URL"):
        parse_upstreams([], {"OPENAI_BASE_URL": "nonsense"})


def test_an_upstream_that_was_named_has_to_listen():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        check_reachable(parse_upstreams([url], {}))
    with pytest.raises(UsageError, match=r"nothing listens at the upstream 127\.0\.0\.1:"):
        check_reachable(parse_upstreams([url], {}))
    check_reachable({"openai": Upstream(url)})


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://localhost", True),
        ("http://[::1]:2", True),
        ("http://10.0.0.1", False),
    ],
)
def test_this_machine_is_called_without_any_proxy(url, local):
    assert Upstream(url).is_local is local
