"""A fake upstream and a proxy before it; this folder's modules, which are no package."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent))

from fake_upstream import FakeUpstream

from passfloor.recording.forwarding import Upstreams
from passfloor.recording.recorder import Recorder
from passfloor.recording.server import ModelProxy
from passfloor.recording.upstreams import parse_upstreams


@dataclass
class Rig:
    """A recorded attempt: its proxy, and the upstream behind it."""

    upstream: FakeUpstream
    proxy: ModelProxy
    source: Upstreams
    lines: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.recorder, self.address = self.another()

    def another(self) -> tuple[Recorder, str]:
        recorder = Recorder(self._new_lines)
        return recorder, self.proxy.open(recorder, self.source)

    def _new_lines(self, _final: bool) -> list[dict[str, Any]]:
        new, self.lines = self.lines, []
        return new

    @property
    def openai(self) -> str:
        return f"{self.address}/openai"

    @property
    def anthropic(self) -> str:
        return f"{self.address}/anthropic"


@pytest.fixture
def rig():
    """``rig(answer)``: a proxy before an upstream that answers so."""
    with ExitStack() as stack:

        def make(answer) -> Rig:
            upstream = stack.enter_context(FakeUpstream(answer))
            proxy = ModelProxy()
            proxy.start()
            stack.callback(proxy.close)
            source = Upstreams(parse_upstreams([f"{upstream.url}/v1"], {}))
            return Rig(upstream, proxy, source)

        yield make
