"""What two attempts show of an agent: pure rules over what was seen of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from passfloor.checking.sight import Observed, Sight
from passfloor.checking.variables import likely_secrets, missed_names
from passfloor.models.suite import Task
from passfloor.projection import AttemptView, coordination

_ENDED_BADLY = frozenset({"exit", "signal", "worker", "provider", "stream", "missing"})
_MOST_NAMES = 5


class Seen(StrEnum):
    """What was seen of one thing that was looked at."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    UNOBSERVED = "unobserved"


@dataclass(frozen=True)
class Examined:
    """One thing that was looked at: its name, one of ``NAMES``, what was seen, and a sentence."""

    name: str
    seen: Seen
    detail: str


def examine(sight: Sight) -> list[Examined]:
    """Everything that is looked at, in the order of ``NAMES``."""
    return [Examined(name, *look(sight)) for name, look in _LOOKS.items()]


_Look = tuple[Seen, str]
_ELSEWHERE = (Seen.UNOBSERVED, "it runs elsewhere, out of sight")


def _start(sight: Sight) -> _Look:
    if found := sight.first("spawn"):
        return Seen.FAIL, found.detail
    return Seen.PASS, {
        "process": "the program starts",
        "function": "the callable is found and called",
        "endpoint": "it was called",
    }[sight.kind]


def _end(sight: Sight) -> _Look:
    if found := sight.first(*_ENDED_BADLY):
        words = _last_words(found)
        return Seen.FAIL, f"{found.detail}{f'; its last words: {words}' if words else ''}"
    if sight.first("spawn", "timeout"):
        return Seen.UNOBSERVED, "it did not come to an end by itself"
    codes = {code for each in sight.pair if isinstance(code := each.said.get("exit_code"), int)}
    if sight.kind != "process" or not codes:
        return Seen.PASS, "it answered both times"
    if codes == {0}:
        return Seen.PASS, "exit status 0 both times"
    return Seen.PASS, f"exit status {_list(map(str, sorted(codes)))}, which the task judges"


def _input(sight: Sight) -> _Look:
    if sight.kind != "process":
        return Seen.UNOBSERVED, "the prompt is handed over with the call; whether it is read cannot be seen"
    unread = [each.unread for each in sight.pair if each.unread is not None]
    if not unread:
        return Seen.UNOBSERVED, "no program ran to the end of its input"
    if max(unread) == 0:
        return Seen.PASS, "the prompt is read to its end"
    return Seen.UNOBSERVED, (
        f"{max(unread)} of {len(sight.task.description.encode())} bytes of the prompt were left unread on "
        "standard input: fine where it reads the file named by PASSFLOOR_TASK instead"
    )


def _answer(sight: Sight) -> _Look:
    finished = [each for each in sight.pair if each.error is None]
    if not finished:
        return Seen.UNOBSERVED, "no attempt finished"
    if all(str(each.said.get("stdout", "")).strip() for each in finished):
        said = "an answer on standard output" if sight.kind == "process" else "an answer"
        return Seen.PASS, f"{said}, which the assertions found {_verdicts(finished)}"
    if all(_changed(sight.task, each) for each in finished):
        return Seen.PASS, "nothing on standard output, but files are changed"
    return Seen.FAIL, (
        "there is nothing to judge: "
        + {
            "process": "print the answer on standard output, or leave files in the working directory",
            "function": "return the answer as a text",
            "endpoint": "the answer is an empty text",
        }[sight.kind]
    )


def _descendants(sight: Sight) -> _Look:
    if sight.kind == "endpoint":
        return _ELSEWHERE
    left = [each.left_behind for each in sight.pair if each.left_behind is not None]
    if any(left):
        return Seen.FAIL, (
            f"processes were left running when it ended ({max(left)}), and ended: what they would have done "
            "later is lost; wait for them, or end them"
        )
    if len(left) < len(sight.pair):
        return Seen.UNOBSERVED, "whatever it had started was ended with it"
    return Seen.PASS, "no process was left running"


def _isolation(sight: Sight) -> _Look:
    if sight.kind == "endpoint":
        return Seen.UNOBSERVED, (
            "it runs elsewhere: whether one attempt sees another (memory, cache, conversation) cannot be seen"
        )
    if any(each.gone is False for each in sight.pair):
        return Seen.FAIL, "the folder of an attempt could not be removed; look what in it is not yours"
    if any(each.gone is None for each in sight.pair):
        return Seen.PASS, "each attempt had a folder, HOME and TMPDIR of its own, which are kept"
    return Seen.PASS, "each attempt had a folder, HOME and TMPDIR of its own, gone when it was over"


def _outside(sight: Sight) -> _Look:
    if sight.appeared is None:
        return _ELSEWHERE
    if not sight.appeared:
        return Seen.PASS, "nothing changed in your home, the start folder or the temporary folder"
    return Seen.UNOBSERVED, (
        f"meanwhile {_list(sight.appeared)} changed: if that was the agent, its attempts can see each other "
        "there"
    )


def _encoding(sight: Sight) -> _Look:
    if len(sight.errors) == 2 and not any(each.said.get("stdout") for each in sight.pair):
        return Seen.UNOBSERVED, "there was no output"
    for each in sight.pair:
        if replaced := each.said.get("replaced"):
            return Seen.FAIL, f"{_list(sorted(replaced))} is not UTF-8: what is not was replaced"
    return Seen.PASS, "the output is UTF-8"


def _size(sight: Sight) -> _Look:
    if found := sight.first("capture"):
        return Seen.FAIL, found.detail
    for each in sight.pair:
        if cut := each.said.get("cut"):
            return Seen.FAIL, f"standard output is too long: {cut} bytes of it were left out"
        files = [name for name, entry in each.files.items() if isinstance(entry, Mapping) and "cut" in entry]
        if files:
            return Seen.FAIL, f"{_list(files)}: of so large a file only the beginning is kept"
    if sight.first("spawn"):
        return Seen.UNOBSERVED, "there was no output"
    return Seen.PASS, "output and files are within their caps"


def _coordination(sight: Sight) -> _Look:
    if sight.errors:
        return Seen.UNOBSERVED, "an attempt errored: it owes no coordination"
    views = [
        AttemptView(each.attempt.receipt.events, each.attempt.receipt.model_extra or {})
        for each in sight.pair
    ]
    found = coordination(sight.rule, views)
    if found.divergence is not None:
        return Seen.FAIL, f"the two attempts part: {found.divergence.detail}"
    if not any(each.lines for each in sight.pair):
        return Seen.PASS, "identical, but nothing is compared except start and end"
    return Seen.PASS, "identical in both attempts"


def _outputs(sight: Sight) -> _Look:
    for each in sight.pair:
        if cached := each.said.get("cached"):
            return Seen.FAIL, f"an answer says that it comes from a cache ({_list(cached)}); turn it off"
    if sight.errors:
        return Seen.UNOBSERVED, "an attempt errored"
    first, second = sight.pair
    if (first.said.get("stdout"), first.files) != (second.said.get("stdout"), second.files):
        return Seen.PASS, "the two outputs differ: two draws"
    return Seen.UNOBSERVED, (
        "the two outputs are the same: cached, seeded, or sure of its answer; two attempts cannot tell"
    )


def _journal(sight: Sight) -> _Look:
    if found := sight.first("journal"):
        return Seen.FAIL, found.detail
    lines = [each.lines for each in sight.pair]
    if all(lines):
        return Seen.PASS, f"{lines[0]} and {lines[1]} lines say what happened in between"
    where = {
        "process": "PASSFLOOR_JOURNAL is not written to",
        "function": "attempt.emit is not called",
        "endpoint": "the answers hold no events",
    }[sight.kind]
    return Seen.UNOBSERVED, f"{where}: what happens between prompt and answer is not recorded"


def _environment(sight: Sight) -> _Look:
    if sight.kind == "endpoint":
        return _ELSEWHERE
    withheld, missed = missed_names(sight)
    if withheld:
        flags = " ".join(f"--env {name}" for name in withheld)
        return Seen.FAIL, f"it speaks of {_list(withheld)}, set here and not let through: add {flags}"
    if missed:
        return Seen.FAIL, f"it misses {_list(missed)}, which is not set here either: set it, and add --env"
    if not sight.errors:
        return Seen.PASS, "it speaks of no variable that it did not get"
    if likely := likely_secrets(sight.withheld):
        return Seen.UNOBSERVED, f"it names none that it misses; set here and not let through: {_list(likely)}"
    return Seen.UNOBSERVED, "it names none that it misses"


def _time(sight: Sight) -> _Look:
    if sight.first("timeout"):
        return Seen.FAIL, (
            f"not finished after {sight.timeout_s:.12g} s: give it longer with --timeout; a program may wait "
            "for something that does not come"
        )
    took = " and ".join(f"{each.elapsed_s:.1f} s" for each in sight.pair)
    return Seen.PASS, f"{took}, of {sight.timeout_s:.12g} s allowed"


_LOOKS: dict[str, Callable[[Sight], _Look]] = {
    "start": _start,
    "end": _end,
    "input": _input,
    "answer": _answer,
    "descendants": _descendants,
    "isolation": _isolation,
    "outside": _outside,
    "encoding": _encoding,
    "size": _size,
    "coordination": _coordination,
    "outputs": _outputs,
    "journal": _journal,
    "environment": _environment,
    "time": _time,
}

NAMES = tuple(_LOOKS)
"""The names of all that is looked at, in their order."""


def _last_words(observed: Observed) -> str:
    lines = str(observed.said.get("stderr_tail", "")).split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _verdicts(finished: Sequence[Observed]) -> str:
    outcomes = [each.attempt.outcome for each in finished]
    words = {"passed": "right", "wrong": "wrong", "errored": "impossible to judge"}
    return " and ".join(dict.fromkeys(words[outcome] for outcome in outcomes))


def _changed(task: Task, observed: Observed) -> bool:
    after = {path: entry.get("sha256") for path, entry in observed.files.items()}
    return after != task.file_hashes


def _list(names: Iterable[object]) -> str:
    found = list(names)
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return ", ".join(map(str, found[:_MOST_NAMES])) + more
