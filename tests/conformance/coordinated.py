"""Was coordination held fixed? Both rules of docs/format.md, section 8, over the attempts of one task."""

from collections import Counter

from strict import digest, form

TIMING = {"ts", "elapsed_s", "started_at", "finished_at"}
SAMPLED = {"model.output", "model.artifact"}
CLOSING = SAMPLED | {"agent.output", "agent.artifact", "attempt.errored"}
OWN = {"events", "run_id", "attempt_id", "adapter_run_id", "journal_head", "spine_head"}


def projection(event, *further):
    """The event without timing, without what the model is declared to have sampled, without ``further``."""
    dropped = TIMING | set(further) | ({"sample"} if event["kind"] in SAMPLED else set())
    return {name: value for name, value in event.items() if name not in dropped}


def errored(attempt):
    """Whether the attempt was cut."""
    return attempt["events"][-1]["kind"] == "attempt.errored"


def owed(attempt):
    """The events that count: all, but of an attempt that was cut not its closing ones."""
    events = list(attempt["events"])
    while errored(attempt) and events and events[-1]["kind"] in CLOSING:
        events.pop()
    return events


def members(attempt):
    """What an adapter added to the run receipt."""
    return {name: value for name, value in attempt.items() if name not in OWN}


def coordination(rule, attempts):
    """The coordination hash of run receipts, by index; None where they diverged."""
    return {"identical": _identical, "causal": _causal}[rule](attempts)


def _identical(attempts):
    events = [[form(projection(event)) for event in owed(attempt)] for attempt in attempts]
    finished = [number for number, attempt in enumerate(attempts) if not errored(attempt)]
    model = finished[0] if finished else max(range(len(attempts)), key=lambda number: len(events[number]))
    for attempt, forms in zip(attempts, events, strict=True):
        most = len(forms) if errored(attempt) else None
        if forms != events[model][:most] or form(members(attempt)) != form(members(attempts[model])):
            return None
    shared = [projection(event) for event in owed(attempts[model])]
    return digest({"events": shared, **members(attempts[model])})


def _causal(attempts):
    acts = [_acts(attempt) for attempt in attempts]
    different = {tuple(act): attempt for act, attempt in zip(acts, attempts, strict=True)}
    whole = {tuple(act) for act, attempt in zip(acts, attempts, strict=True) if not errored(attempt)}
    if any(_diverges(mine, theirs) for mine in different for theirs in whole if mine != theirs):
        return None
    did = [Counter(name for heard, name in act if not heard) for act in acts]
    return digest(
        {"rule": "causal", "attempts": [digest([list(pair) for pair in sorted(d.items())]) for d in did]}
    )


def _diverges(mine, theirs):
    """Whether something was done that the other did not do, before anything that it never heard was heard."""
    left = Counter(theirs)
    for act in mine:
        left[act] -= 1
        if left[act] < 0:
            return not act[0]
    return False


def _acts(attempt):
    """What the attempt heard and did, in order: (heard, digest)."""
    acts, answers, mind = [], [], _Mind()
    if members(attempt):
        acts.append((False, digest(["", "", 0, members(attempt)])))
    for event in owed(attempt):
        if event["kind"] == "attempt.errored":
            continue
        if event["kind"] == "model.request":
            acts.append((False, mind.request(event)))
            continue
        rest = projection(event, "seq", "lane", *(["call"] if event["kind"] == "model.output" else []))
        if event["kind"] != "model.output" or len(rest) > 1:
            acts.append((False, mind.other(event, rest)))
        if event["kind"] == "model.output":
            asked, answer = mind.answer(event)
            if asked is not None:
                answers.append((len(acts), asked, answer))
            acts.append((True, digest(answer)))
    said = Counter(asked for asked, _ in {(asked, digest(answer)) for _, asked, answer in answers})
    for position, asked, answer in answers:
        if said[asked] > 1:  # nobody can tell which caller got which
            acts[position] = (True, digest([*answer, attempt["attempt_id"]]))
    return acts


class _Mind:
    """What went before in one attempt."""

    def __init__(self):
        self.calls, self.tools = {}, {}
        self.places, self.asked, self.drawn = Counter(), Counter(), Counter()

    def request(self, event):
        lane = event.get("lane", "")
        name = digest(["model.request", lane, projection(event, "seq", "lane", "call")])
        self.calls[form(event.get("call"))] = (lane, name, self.asked[name])
        self.asked[name] += 1
        return name

    def answer(self, event):
        """The digest of the request, where it is one of the common lane; the answer's form."""
        lane, sample = event.get("lane", ""), event["sample"]
        call = self.calls.get(form(event["call"])) if "call" in event else None
        if call is None or not isinstance(sample, dict):
            self.drawn[form(lane)] += 1
            return None, ["answer", [lane, self.drawn[form(lane)] - 1], None, sample]
        lane, name, times = call
        answer = ["answer", name if lane == "" else [name, times], sample.get("status"), sample.get("said")]
        answer += [] if sample.get("complete") is True else ["incomplete"]
        return (name if lane == "" else None), answer

    def other(self, event, rest):
        kind, lane = event["kind"], event.get("lane", "")
        joined = (form(lane), form(event["id"])) if "id" in event and kind.startswith("tool.") else None
        if kind == "tool.result" and joined in self.tools:
            place = self.tools[joined]
        else:
            place = self.places[form(lane)]
            self.places[form(lane)] += 1
            if kind != "tool.call" or joined is None:
                return digest([kind, lane, place, rest])
            self.tools[joined] = place
        return digest([kind, lane, place, {name: value for name, value in rest.items() if name != "id"}])
