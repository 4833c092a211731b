"""Calls an agent service: one POST an attempt, an answer in JSON."""

import json
import os
from collections.abc import Mapping
from typing import Any

from passfloor.adapters.addresses import parse_endpoint, secret_headers
from passfloor.adapters.agent_journal import JOURNAL_CAP, parse_journal
from passfloor.adapters.answers import Answer, json_object
from passfloor.adapters.attempts import DEFAULT_TIMEOUT_S
from passfloor.adapters.cached import BODY_MEMBER
from passfloor.adapters.endpoints import EndpointAdapter, Send
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.retries import Clock
from passfloor.errors import UsageError
from passfloor.models.suite import Task

DEFAULT_RETRIES = 2
"""Further calls allowed in an attempt where nobody says."""


class HttpAdapter(EndpointAdapter):
    """Posts ``{task_id, input, attempt_id, seed}``, with ``Idempotency-Key: <attempt_id>``.

    ``input`` is the description and ``seed`` the attempt's own. The answer is ``{output, events?, cached?}``:
    a text, a list of what a program would append to its journal, and whether it was kept from another call;
    further members are passed over.

    Attributes:
        key: The adapter's name in the receipt.
    """

    key = "http"

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: int = DEFAULT_RETRIES,
        headers_env: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        send: Send | None = None,
    ) -> None:
        """Fix where to call.

        Args:
            url: ``http`` or ``https``.
            timeout_s: Seconds an attempt has where its task does not say, waits between calls among them.
            retries: Further calls allowed in an attempt.
            headers_env: Header -> the variable that holds its value.
            environ: Where variables are looked up; default: this process's environment.
            clock: Default: the system's.
            send: Makes one call; default: over the network.

        Raises:
            UsageError: No such URL, header, time or number.
        """
        environ = os.environ if environ is None else environ
        names = dict(headers_env or {})
        headers = secret_headers(names, environ)
        super().__init__(
            parse_endpoint(url, "the agent's URL"),
            timeout_s=timeout_s,
            retries=retries,
            headers=headers,
            secrets={names[header]: value for header, value in headers.items()},
            clock=clock,
            send=send,
        )
        self.url = url
        self._names = names

    def check(self) -> None:
        """Look for the variables and whether something listens; no request is sent.

        Raises:
            UsageError: One is missing.
        """
        for header, variable in self._names.items():
            if header not in self._headers:
                raise UsageError(f"the variable {variable} is not set; set it, it holds the header {header}")
        super().check()

    def identity(self) -> dict[str, Any]:
        """``{adapter, url, headers}``: the headers that are added and their variables, never their values."""
        return {"adapter": self.key, "url": self.url, "headers": dict(self._names)}

    def body(self, task: Task, attempt: AttemptSpec) -> bytes:
        """The request's body."""
        members = {
            "task_id": task.id,
            "input": task.description,
            "attempt_id": attempt.attempt_id,
            "seed": attempt.attempt_seed,
        }
        return json.dumps(members).encode()

    def headers(self, attempt: AttemptSpec) -> dict[str, str]:
        """The request's headers."""
        return {"Idempotency-Key": attempt.attempt_id, **self._headers}

    def read(self, body: bytes) -> Answer:
        """What an answer's body means."""
        try:
            members = json_object(body)
        except ValueError as error:
            return Answer.unusable(str(error))
        output, events = members.get("output"), members.get("events")
        if not isinstance(output, str):
            return Answer.unusable("the answer has no output that is a text")
        cached = members.get(BODY_MEMBER) is True
        if events is None:
            return Answer(output, cached=cached)
        if not isinstance(events, list):
            return Answer.unusable("the answer's events are no list")
        return _with_events(output, events, cached=cached)


def _with_events(output: str, events: list[Any], *, cached: bool) -> Answer:
    """The events by the rules for journal lines: a bad one makes the attempt errored."""
    try:
        lines = "".join(f"{json.dumps(event)}\n" for event in events).encode()
    except RecursionError:
        # Written, it may need a little more depth than it did to be read.
        return Answer.unusable("the answer is nested too deep")
    found = parse_journal(lines[: JOURNAL_CAP + 1])
    error = None
    if found.fault:
        error = {"type": "journal", "detail": found.fault.replace("line ", "event ", 1)}
    return Answer(output, events=found.events, cached=cached, error=error)
