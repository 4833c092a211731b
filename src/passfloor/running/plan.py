"""The plan: everything that is fixed before the first attempt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from passfloor.adapters.describe import AnyAdapter, describe
from passfloor.adapters.interface import is_attempt_adapter
from passfloor.canonical import canonical, digest
from passfloor.errors import JsonError, UsageError
from passfloor.grading import versions_of
from passfloor.models.plan import CoordinationRule, Plan, Selection, Subject
from passfloor.models.suite import Suite
from passfloor.suites import require_assertions

MAX_ATTEMPTS = 10_000


@dataclass(frozen=True)
class Claims:
    """What the signer says about the subject and the choice of k; null where they say nothing."""

    agent_name: str | None = None
    agent_version: str | None = None
    model_name: str | None = None
    k_reason: str | None = None


def make_plan(
    suite: Suite,
    adapter: AnyAdapter,
    *,
    k: int,
    n: int | None = None,
    scheduler_config: Mapping[str, Any] | None = None,
    claims: Claims | None = None,
    completion_only: bool = False,
    selection: Selection | None = None,
    gate: Mapping[str, str] | None = None,
    coordination_rule: CoordinationRule = "identical",
    identity_fields: Sequence[str] = (),
) -> Plan:
    """Fix a plan of n attempts a task (k where ``n`` is None), from which draws of k are made.

    ``suite`` is what is run: where that is a part of another, ``selection`` says which. ``gate`` is what a
    gate will ask, decimal text by name; None where there is none. ``coordination_rule`` says how attempts are
    compared, ``identity_fields`` what in them changes by itself.

    Raises:
        UsageError: not 1 <= k <= n <= 10,000; the scheduler's configuration is not JSON; a claim is no text;
            the adapter lacks a method; or a task to be judged by its assertions has none.
    """
    size = check_budget(k, n)
    _check_adapter(adapter)
    if not isinstance(scheduler_config, Mapping | None):
        raise UsageError(
            f"scheduler_config is of type {type(scheduler_config).__name__}: "
            "give a dict of what the scheduler is told"
        )
    config = dict(scheduler_config or {})
    try:
        canonical(config)
    except JsonError as error:
        raise UsageError(
            f"scheduler_config is not JSON: {error}; give texts, numbers, lists and dicts"
        ) from None
    claims = claims or Claims()
    _check_claims(claims)
    about = describe(adapter)
    if about.declared and not completion_only:
        require_assertions(suite)
        _require_own(suite)
    return Plan(
        suite_hash=suite.suite_hash,
        selection=selection,
        n=size,
        k=k,
        k_reason=claims.k_reason,
        coordination_rule=coordination_rule,
        identity_fields=list(identity_fields),
        scheduler_config=config,
        subject=Subject(
            name=claims.agent_name,
            version=claims.agent_version,
            adapter=about.key,
            adapter_digest=digest(about.identity),
            model=claims.model_name,
            config_digest=digest(about.options),
        ),
        gate=None if gate is None else dict(gate),
        completion_only=completion_only,
        graders={} if completion_only or not about.declared else versions_of(suite.tasks),
    )


def _require_own(suite: Suite) -> None:
    """Refuse to run what was imported: its assertions read the records of another tool."""
    for task in suite.tasks:
        if any(assertion.kind == "imported" for assertion in task.assertions):
            raise UsageError(
                f"task {task.id!a} was imported from another tool's log: nothing can be run of it; "
                "write assertions of its own"
            )


def _check_claims(claims: Claims) -> None:
    for claim in fields(claims):
        name, value = claim.name, getattr(claims, claim.name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise UsageError(f"{name} is of type {type(value).__name__}: give a text, or leave it out")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(f"{name} {value[:80]!a} is no Unicode text: give it in UTF-8") from None


def _check_adapter(adapter: object) -> None:
    for name in ("score_task", "run_attempt" if is_attempt_adapter(adapter) else "run_task"):
        if not callable(getattr(adapter, name, None)) or isinstance(adapter, type):
            raise UsageError(
                f"{type(adapter).__name__} is no adapter: give an object with "
                "run_task(task, scheduler_config) and score_task(task, receipt)"
            )


def check_budget(k: int, n: int | None) -> int:
    """The number of attempts a task that ``k`` and ``n`` ask for.

    Raises:
        UsageError: the two cannot be met.
    """
    size = k if n is None else n
    for name, value in (("k", k), ("n", size)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{name} is {value!r}: give a whole number of at least 1")
    if k < 1:
        raise UsageError(f"k={k}: give a whole number of at least 1 with --reliability")
    if k > size:
        raise UsageError(
            f"k={k} > n={size}: passing {k} times out of {size} is not estimable; "
            f"raise --attempts to {k} or more"
        )
    if size > MAX_ATTEMPTS:
        raise UsageError(
            f"n={size}: at most {MAX_ATTEMPTS} attempts a task; lower --attempts or --reliability"
        )
    return size
