"""What the adapters share that call an endpoint themselves: one attempt's call, its secrets, its events."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult

from passfloor.adapters.agent_journal import substituted
from passfloor.adapters.answers import Answer
from passfloor.adapters.attempts import NamedAttempts, check_timeout
from passfloor.adapters.cached import cached_by
from passfloor.adapters.exchange import post
from passfloor.adapters.framing import frame, kept_answer, output_sample
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.open_calls import OpenCalls, StoppableClock
from passfloor.adapters.retries import Called, CallTimeout, Clock, Reply, RetryPolicy
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.recording.addresses import silence_at
from passfloor.recording.recorder import Taken
from passfloor.scrubbing.values import is_plain
from passfloor.workspaces.streams import STDERR_CAP, StreamText, whole_end

Send = Callable[[SplitResult, bytes, Mapping[str, str], float], Reply]


class EndpointAdapter(NamedAttempts):
    """One call an attempt, made by us; subclasses say what is sent and what the answer means.

    The agent is elsewhere: no workspace, no files, ``exit_code`` is null. The attempt's time includes the
    waits between calls. May be copied, pickled and used from several threads.
    """

    key: str
    all_secret = True

    def __init__(
        self,
        url: SplitResult,
        *,
        timeout_s: float,
        retries: int,
        headers: Mapping[str, str],
        secrets: Mapping[str, str],
        clock: Clock | None,
        send: Send | None,
    ) -> None:
        """Fix where to call.

        Args:
            url: Where.
            timeout_s: Seconds an attempt has where its task does not say.
            retries: Further calls allowed in an attempt.
            headers: Name -> value.
            secrets: Variable -> value: values that are never kept.
            clock: Default: the system's.
            send: Makes one call; default: over the network.

        Raises:
            UsageError: No positive time, or no whole number of retries.
        """
        super().__init__()
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 100:
            raise UsageError(f"the number of retries is {retries!r}; give one from 0 to 100")
        self.timeout_s = check_timeout(timeout_s)
        self.retries = retries
        self.notes: list[str] = []
        self._url = url
        self._headers = dict(headers)
        self._variables = dict(secrets)
        # "EMPTY" is no secret, and would be found where an answer means it.
        self._secrets = {value: f"${{{name}}}" for name, value in secrets.items() if not is_plain(value)}
        self._calls_open = OpenCalls()
        self._policy = RetryPolicy(retries, clock=clock or StoppableClock(self._calls_open))
        self._send = send

    def check(self) -> None:
        """Look whether something listens at the address; no request is sent.

        Raises:
            UsageError: Nothing does.
        """
        if (silent := silence_at(self._url)) is not None:
            raise UsageError(f"nothing listens at {silent}; start it, or give its address")

    def variables(self) -> dict[str, str]:
        """Name -> value of the variables that stand in a header; each of them is a secret."""
        return dict(self._variables)

    def check_task(self, task: Task) -> None:
        """Refuse a task that an agent without a workspace cannot do.

        Raises:
            UsageError: It has starting files.
        """
        if task.files:
            raise UsageError(
                f"task {task.id!a} has starting files, which the {self.key} adapter cannot hand over; "
                "leave it out with --task or --tag, or drive the agent as a program"
            )

    def options(self) -> dict[str, Any]:
        """The time-out and the retries."""
        return {"timeout_s": self.timeout_s, "retries": self.retries}

    def run_attempt(
        self,
        task: Task,
        attempt: AttemptSpec,
        scheduler_config: Mapping[str, Any],  # noqa: ARG002  # of the agent's scheduler; an endpoint has none
    ) -> dict[str, Any]:
        """Make one attempt's call; what goes wrong with it is recorded and never raised.

        Raises:
            UsageError: The task has starting files.
            RunStoppedError: ``interrupt`` was called meanwhile.
        """
        self.check_task(task)
        return {"events": self._events(task, attempt, self._called(task, attempt, self._url))}

    def _called(self, task: Task, attempt: AttemptSpec, url: SplitResult) -> Called:
        timeout_s = self.timeout_s if task.timeout_s is None else float(task.timeout_s)
        clock = self._policy.clock
        deadline = clock.monotonic() + timeout_s
        body, headers = self.body(task, attempt), self.headers(attempt)
        stops = self._calls_open.stops

        def send() -> Reply:
            left = deadline - clock.monotonic()
            if left <= 0:
                raise CallTimeout
            try:
                return self._sent(url, body, headers, time.monotonic() + left)
            finally:
                self._calls_open.check(stops)

        spread = int(attempt.attempt_id[:8], 16) / 2**32
        return self._policy.call(send, timeout_s=timeout_s, deadline=deadline, spread=spread)

    def interrupt(self) -> None:
        """Cut short the calls that wait now, for a run that stops; may be called from another thread."""
        self._calls_open.interrupt()

    def body(self, task: Task, attempt: AttemptSpec) -> bytes:
        """The request's body."""
        raise NotImplementedError

    def headers(self, attempt: AttemptSpec) -> dict[str, str]:  # noqa: ARG002  # for those who send it
        """The request's headers."""
        return dict(self._headers)

    def read(self, body: bytes) -> Answer:
        """What an answer's body means."""
        raise NotImplementedError

    def _sent(self, url: SplitResult, body: bytes, headers: Mapping[str, str], deadline: float) -> Reply:
        if self._send is not None:
            return self._send(url, body, headers, deadline)
        return post(url, body, headers, deadline=deadline, calls=self._calls_open)

    def _events(
        self, task: Task, attempt: AttemptSpec, called: Called, taken: Taken | None = None
    ) -> list[dict[str, Any]]:
        answer = Answer() if called.reply is None else self.read(called.reply.body)
        output, scrubbed = self._without_secrets(answer.output)
        notes, scrubbed_notes = self._without_secrets(answer.notes)
        sample = output_sample(kept_answer(output), _kept_notes(notes))
        if count := scrubbed + scrubbed_notes:
            sample["scrubbed"] = count
        if called.retries:
            sample["retries"] = called.retries
        if called.reply is not None and (by := cached_by(called.reply.headers, body_says=answer.cached)):
            sample["cached"] = by
        words = {**self._secrets, attempt.attempt_id: "${attempt_id}"}
        lines = [substituted(event, words) for event in answer.events]
        error = called.error or answer.error
        if taken is None:
            return frame(task, attempt.seed, lines, sample, {}, error)
        # The calls stand there one by one, further ones among them.
        sample.pop("retries", None)
        return frame(task, attempt.seed, taken.events, sample, {}, taken.fault or error, recorded=True)

    def _without_secrets(self, text: str) -> tuple[str, int]:
        count = 0
        for value, name in self._secrets.items():
            count += text.count(value)
            text = text.replace(value, name)
        return text, count


def _kept_notes(text: str) -> StreamText:
    kept = kept_answer(text)
    data = kept.text.encode()
    return StreamText(
        whole_end(data[:STDERR_CAP]).decode() if len(data) > STDERR_CAP else kept.text, kept.replaced, 0
    )
