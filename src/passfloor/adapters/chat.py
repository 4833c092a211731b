"""Calls a bare model: one completion an attempt, from an OpenAI-compatible endpoint."""

import json
import os
from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from passfloor.adapters.addresses import header_value, parse_endpoint
from passfloor.adapters.answers import Answer, json_object
from passfloor.adapters.attempts import DEFAULT_TIMEOUT_S
from passfloor.adapters.cached import BODY_MEMBER
from passfloor.adapters.endpoints import EndpointAdapter, Send
from passfloor.adapters.http import DEFAULT_RETRIES
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.retries import Clock
from passfloor.canonical import canonical
from passfloor.errors import JsonError, UsageError
from passfloor.models.suite import Task

if TYPE_CHECKING:
    from passfloor.recording.attempts import Recording

DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
"""The variable that holds the provider's key where nobody says."""

_OURS = frozenset({"messages", "model", "n", "stream", "stream_options"})


class ChatAdapter(EndpointAdapter):
    """Posts ``{model, messages, **options}`` to ``<base_url>/chat/completions``, not streamed.

    The prompt is the description, after ``system`` where there is one. The answer is the text of the one
    choice, "" where the model refused or called a tool. How it finished, where not by ``stop``, and what it
    said in refusing stand in ``stderr_tail``: an answer cut at the token limit is an answer, if a wrong one.

    Attributes:
        key: The adapter's name in the receipt.
        recording: Records its calls; None where they are not recorded.
    """

    key = "chat"

    def __init__(
        self,
        model: str,
        base_url: str,
        *,
        options: Mapping[str, Any] | None = None,
        system: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: int = DEFAULT_RETRIES,
        api_key_env: str = DEFAULT_KEY_VARIABLE,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        send: Send | None = None,
    ) -> None:
        """Fix the model and where it is.

        Args:
            model: As the endpoint names it.
            base_url: What stands before ``/chat/completions``, such as ``http://127.0.0.1:8000/v1``.
            options: Further members of the request, such as ``temperature``.
            system: A system message.
            timeout_s: Seconds an attempt has where its task does not say, waits between calls among them.
            retries: Further calls allowed in an attempt.
            api_key_env: The variable that holds the key. Where it is not set no key is sent, which servers of
                one's own accept; a variable other than the usual one has to be set.
            environ: Where variables are looked up; default: this process's environment.
            clock: Default: the system's.
            send: Makes one call; default: over the network.

        Raises:
            UsageError: No such model, URL, option, time or number.
        """
        if not model or not model.isprintable():
            raise UsageError(f"the model's name {model!a} is not printable; give it as the endpoint names it")
        address = parse_endpoint(base_url, "the base URL")
        environ = os.environ if environ is None else environ
        key = environ.get(api_key_env)
        secrets = {} if not key else {api_key_env: header_value(key, api_key_env)}
        super().__init__(
            address._replace(path=address.path.rstrip("/") + "/chat/completions"),
            timeout_s=timeout_s,
            retries=retries,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            secrets=secrets,
            clock=clock,
            send=send,
        )
        self.model = model
        self.base_url = base_url
        self._key_variable = api_key_env
        self._system = system
        self._options = _checked(options or {})
        self.recording: Recording | None = None

    def record(self, recording: "Recording") -> None:
        """Record the call of every attempt from here on; ``close`` ends it."""
        self.recording = recording

    def close(self) -> None:
        """Let go of what is kept ready for further attempts."""
        if self.recording is not None:
            self.recording.close()

    def run_attempt(
        self, task: Task, attempt: AttemptSpec, scheduler_config: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Make one attempt's call; see ``EndpointAdapter``.

        Raises:
            UsageError: The task has starting files.
            EnvironmentFault: Its call is to be recorded, and the proxy cannot listen.
        """
        if self.recording is None:
            return super().run_attempt(task, attempt, scheduler_config)
        self.check_task(task)
        with self.recording.attempt(attempt.attempt_id, "") as recorder:
            url = parse_endpoint(f"{recorder.address}/openai/chat/completions", "the proxy's address")
            called = self._called(task, attempt, url)
            return {"events": recorder.seal(self._events(task, attempt, called, recorder.finish()))}

    def check(self) -> None:
        """Look for the key, where it was named, and whether something listens; no request is sent.

        Raises:
            UsageError: One is missing.
        """
        if not self._headers and self._key_variable != DEFAULT_KEY_VARIABLE:
            raise UsageError(f"the variable {self._key_variable} is not set; set it to the provider's key")
        super().check()

    def identity(self) -> dict[str, Any]:
        """``{adapter, url, model}``."""
        return {"adapter": self.key, "url": self.base_url, "model": self.model}

    def options(self) -> dict[str, Any]:
        """The time-out, the retries, the model's options and the system message, null where there is none."""
        return {**super().options(), "options": deepcopy(self._options), "system": self._system}

    def body(self, task: Task, attempt: AttemptSpec) -> bytes:  # noqa: ARG002  # the same in every attempt
        """The request's body."""
        messages = [] if self._system is None else [{"role": "system", "content": self._system}]
        messages.append({"role": "user", "content": task.description})
        return json.dumps({**self._options, "model": self.model, "messages": messages}).encode()

    def read(self, body: bytes) -> Answer:
        """What an answer's body means."""
        try:
            members = json_object(body)
            choice = members["choices"][0]
            message = choice["message"]
            content, refusal = message.get("content"), message.get("refusal")
            reason = choice.get("finish_reason")
        except ValueError as error:
            return Answer.unusable(str(error))
        except (KeyError, IndexError, TypeError, AttributeError):
            return Answer.unusable("the answer has no choices[0].message")
        if content is not None and not isinstance(content, str):
            return Answer.unusable("the answer's content is no text")
        notes = []
        if isinstance(reason, str) and reason != "stop":
            notes.append(f"finish_reason: {reason}\n")
        if isinstance(refusal, str):
            notes.append(f"refusal: {refusal}\n")
        return Answer(content or "", notes="".join(notes), cached=members.get(BODY_MEMBER) is True)


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    if ours := sorted(_OURS & options.keys()):
        raise UsageError(f"the model option {ours[0]!r} is set by passfloor; leave it out")
    copied = deepcopy(dict(options))
    try:
        canonical(copied)
    except JsonError as error:
        raise UsageError(f"the model options are no JSON: {error}; mend that one") from None
    return copied
