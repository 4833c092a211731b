"""Where the calls of a recorded run go: one upstream a provider."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from passfloor.errors import UsageError
from passfloor.recording.addresses import parts_of, silence_at

OPENAI = "openai"
ANTHROPIC = "anthropic"

PROVIDERS: Mapping[str, tuple[str, str]] = {
    OPENAI: ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
    ANTHROPIC: ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
}
"""Provider -> the variable its clients read, and where they call without it."""

_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


@dataclass(frozen=True)
class Upstream:
    """Where one provider's calls go.

    Attributes:
        url: What a call's path is appended to, without a slash at its end.
        named: The operator named it, rather than that nobody did.
    """

    url: str
    named: bool = False

    @property
    def parts(self) -> SplitResult:
        """The parts of the address."""
        return urlsplit(self.url)

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine: no proxy of the environment is asked for it."""
        return _LOOPBACK.fullmatch(self.parts.hostname or "") is not None


def parse_upstreams(given: Sequence[str], environ: Mapping[str, str]) -> dict[str, Upstream]:
    """The upstream of each provider.

    Args:
        given: ``URL``, which is every provider's (Anthropic's without a final ``/v1``), ``openai=URL`` or
            ``anthropic=URL``.
        environ: Where the provider's own variable is looked up where nothing is given.

    Raises:
        UsageError: One is no http or https URL, holds a user, a query or a fragment, or is given twice.
    """
    found: dict[str, Upstream] = {}
    for text in given:
        name, sign, url = text.partition("=")
        shared = not sign or name not in PROVIDERS
        if shared and sign and "/" not in name:
            raise UsageError(
                f"--upstream {name[:40]!a}=...: name {' or '.join(PROVIDERS)}, or give a URL alone"
            )
        for provider in PROVIDERS if shared else (name,):
            address = text if shared else url
            if provider in found:
                raise UsageError(f"--upstream gives {provider} two addresses; keep one of them")
            if shared and provider == ANTHROPIC:
                address = address.rstrip("/").removesuffix("/v1")
            found[provider] = Upstream(_checked(address, "--upstream"), named=True)
    for provider, (variable, default) in PROVIDERS.items():
        if provider not in found:
            address = environ.get(variable) or default
            found[provider] = Upstream(_checked(address, variable))
    return found


def check_reachable(upstreams: Mapping[str, Upstream]) -> None:
    """Look whether something listens at each upstream that was named; no request is sent.

    Raises:
        UsageError: Nothing does.
    """
    for upstream in {upstream.url: upstream for upstream in upstreams.values() if upstream.named}.values():
        if (silent := silence_at(upstream.parts)) is not None:
            raise UsageError(f"nothing listens at the upstream {silent}; start it, or give its address")


def _checked(url: str, said: str) -> str:
    parts = parts_of(url)
    # The whole is never repeated: it may hold a key.
    if parts is None:
        raise UsageError(f"{said} is no http or https URL; write it like http://127.0.0.1:8000/v1")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{said} holds a user or password; let the agent send its key in a header")
    if parts.query or parts.fragment:
        raise UsageError(f"{said} holds a query or a fragment; give what stands before it")
    return url.rstrip("/")
