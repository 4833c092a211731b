"""What a run's scrubber knows of its adapter."""

import pytest

from passfloor.adapters.chat import ChatAdapter
from passfloor.adapters.function import FunctionAdapter
from passfloor.adapters.http import HttpAdapter
from passfloor.adapters.process import ProcessAdapter
from passfloor.adapters.secrets import scrubber_for
from passfloor.errors import UsageError

ENVIRON = {
    "PATH": "/usr/bin:/bin",
    "OPENAI_API_KEY": "canary-key-1",
    "SERVICE_HEADER": "Basic canary-header-2",
    "PLAIN": "canary-plain-3",
    "NOT_LET_THROUGH_KEY": "canary-other-4",
}


def scrubbed(adapter, text):
    return scrubber_for(adapter).scrub_text(text)[0]


@pytest.mark.parametrize(
    "adapter",
    [
        ProcessAdapter(["cat"], env=["OPENAI_API_KEY", "PLAIN"], environ=ENVIRON),
        FunctionAdapter("agent:act", env=["OPENAI_API_KEY", "PLAIN"], environ=ENVIRON),
    ],
    ids=["process", "function"],
)
def test_of_what_a_process_is_let_through_that_is_secret_whose_name_says_so(adapter):
    text = " ".join(ENVIRON.values())
    assert scrubbed(adapter, text) == text.replace("canary-key-1", "[scrubbed]")


def test_every_header_of_a_service_is_a_secret_whatever_its_variable_is_called():
    adapter = HttpAdapter("http://127.0.0.1:9/", headers_env={"X-A": "SERVICE_HEADER"}, environ=ENVIRON)
    assert scrubbed(adapter, "Basic canary-header-2") == "[scrubbed]"
    assert scrubbed(adapter, "only canary-header-2") == "only [scrubbed]"
    assert scrubbed(adapter, "canary-plain-3") == "canary-plain-3"


def test_the_key_of_a_model_is_a_secret_and_a_placeholder_is_none():
    adapter = ChatAdapter("m", "http://127.0.0.1:9/v1", environ=ENVIRON)
    assert scrubbed(adapter, "canary-key-1") == "[scrubbed]"
    adapter = ChatAdapter("m", "http://127.0.0.1:9/v1", environ={"OPENAI_API_KEY": "EMPTY"})
    assert scrubbed(adapter, "the list is EMPTY") == "the list is EMPTY"


def test_an_adapter_that_says_nothing_has_its_common_key_formats_replaced_and_patterns_beside():
    key = "sk-" + "a1" * 12
    assert scrubbed(object(), f"{key} canary-key-1") == "[scrubbed] canary-key-1"
    assert scrubber_for(object(), ["c[a-z]+-key"]).scrub_text("canary-key-1") == ("[scrubbed]-1", 1)
    with pytest.raises(UsageError, match="--scrub pattern 1"):
        scrubber_for(object(), ["("])
