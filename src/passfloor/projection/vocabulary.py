"""The declared tables: what of an event is not coordination. Whatever is not listed here is (fail closed)."""

TIMING_NUMBERS = frozenset({"ts", "elapsed_s"})
"""Event members that hold a finite number of seconds and are dropped."""

TIMING_TIMES = frozenset({"started_at", "finished_at"})
"""Event members that hold an RFC 3339 time and are dropped."""

TIMING = TIMING_NUMBERS | TIMING_TIMES
"""Every event member that is dropped whatever the kind."""

SAMPLED_KINDS = frozenset({"model.output", "model.artifact"})
"""The only kinds whose ``sample`` is the model's; a kind that merely looks like one is not among them."""

SAMPLE = "sample"
"""The one free-form member that is dropped, in the kinds above alone."""

CALL_NOTES = frozenset({"retries", "cached"})
"""Members of the sample of an output that tell how it was fetched, and are no part of what was said."""

ERRORED_KIND = "attempt.errored"
"""The last event of an attempt that did not finish."""

ASKED = "model.request"
"""A call of the model that was recorded."""

ANSWER = "model.output"
"""What the model answered: heard, where all other kinds are something the attempt did."""

TOOL_CALL, TOOL_RESULT = "tool.call", "tool.result"
"""The two kinds that ``id`` joins: a result counts where its call was issued, not where it arrived."""

OUTPUT, ARTIFACT = "agent.output", "agent.artifact"
"""What the agent printed and left where its model calls are recorded; both are compared."""

GRADED = "agent."
"""How the kinds begin whose values graders read: there, nothing is escaped."""

CUT_KINDS = SAMPLED_KINDS | {OUTPUT, ARTIFACT, ERRORED_KIND}
"""What may close an attempt that was cut, and is not compared there."""

FRAMING = ("task.", "attempt.")
"""How the kinds begin with which the harness marks the beginning and the end of an attempt."""

OWN_PREFIXES = (*FRAMING, GRADED, ASKED)
"""How the kinds begin that only the harness writes."""

PLACING = frozenset({"seq", "kind", "call", "lane"})
"""Event members that say what an event is and where it stands; their words are never replaced."""

ADAPTER_RUN_ID = "adapter_run_id"
"""The name an adapter object gave its own run receipt; the harness's attempts cannot carry one."""

IDENTITY = frozenset({"run_id", "attempt_id", ADAPTER_RUN_ID, "journal_head", "spine_head"})
"""Members of a run receipt that name it (``adapter_run_id`` as its adapter did) or commit to all of it, with
samples."""
