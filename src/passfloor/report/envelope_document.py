"""The report as one JSON object: everything the text says, every rate exact and as a double."""

import dataclasses
from fractions import Fraction
from typing import Any

from passfloor.aggregate import nearest
from passfloor.report.envelope.model import CurvePoint, Envelope, Measure, Source, TaskRow
from passfloor.report.envelope.records import AttemptRecord
from passfloor.report.envelope.words import ESTIMATOR, standing
from passfloor.report.rates import rate
from passfloor.stats.intervals import Interval


def envelope_document(envelope: Envelope) -> dict[str, Any]:
    """The object. A rate is ``{"fraction": "4673/5040", "float": 0.927...}``, in lowest terms."""
    at, noise, best = envelope.at, envelope.noise, envelope.if_passed
    return {
        "verified": envelope.source.verified,
        "completion_only": envelope.source.completion_only,
        "source": _source(envelope.source),
        "n": envelope.n,
        "k": envelope.k,
        "k_reason": envelope.source.k_reason,
        "estimator": ESTIMATOR,
        "counts": envelope.counts.model_dump(),
        "success_rate": rate(envelope.success_rate),
        "pass_at_k": {**rate(at.ceiling), "interval": _interval(at.ceiling_interval)},
        "pass_hat_k": {**rate(at.floor), "interval": _interval(at.floor_interval)},
        "envelope": rate(at.width),
        "curve": [_point(point) for point in envelope.curve],
        "piles": envelope.piles,
        "batch": rate(envelope.batch),
        "noise": {"pass_at_k": noise.ceiling, "pass_hat_k": noise.floor},
        "if_errored_passed": None
        if best is None
        else {
            "success_rate": rate(best.success_rate),
            "pass_at_k": rate(best.ceiling),
            "pass_hat_k": rate(best.floor),
        },
        "who_checks": envelope.who_checks,
        "who_picks": envelope.picker,
        "quote": {
            "figure": envelope.quote.figure,
            "value": rate(envelope.quote.value),
            "because": envelope.quote.because,
        },
        "not_covered": list(envelope.not_covered),
        "advice": [dataclasses.asdict(remark) for remark in envelope.advice],
        "warnings": [dataclasses.asdict(remark) for remark in envelope.warnings],
        "consistency": [_measure(measure) for measure in envelope.consistency],
        "served_models": list(envelope.served_models),
        "tasks": [_task(row) for row in envelope.tasks],
    }


def _source(source: Source) -> dict[str, Any]:
    document = {field.name: getattr(source, field.name) for field in dataclasses.fields(source)}
    document["subject"] = dict(source.subject)
    document["not_established"] = list(source.not_established)
    document["established"] = list(source.established)
    document["import_rule"] = dict(source.import_rule) if source.imported else None
    return {**document, "mark": source.mark, "standing": standing(source)}


def _point(point: CurvePoint) -> dict[str, Any]:
    return {
        "k": point.k,
        "pass_at_k": {**rate(point.ceiling), "interval": _interval(point.ceiling_interval)},
        "pass_hat_k": {**rate(point.floor), "interval": _interval(point.floor_interval)},
        "envelope": rate(point.width),
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "level": 0.95,
        "low": nearest(interval.low),
        "high": nearest(interval.high),
        "method": interval.method,
        "error": interval.error,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    value = measure.value
    exact = rate(value) if isinstance(value, Fraction) else {"fraction": None, "float": value}
    return {**dataclasses.asdict(measure), "value": exact}


def _task(row: TaskRow) -> dict[str, Any]:
    return {
        "task_id": row.task_id,
        "position": row.position,
        "pile": row.pile,
        "kind": row.kind,
        "n": row.n,
        "passed": row.passed,
        "wrong": row.wrong,
        "errored": row.errored,
        "pass_at_1": rate(row.rate),
        "pass_at_k": rate(row.ceiling),
        "pass_hat_k": rate(row.floor),
        "all_passed": row.all_passed,
        "success_interval": {
            "level": 0.95,
            "low": row.rate_interval[0],
            "high": row.rate_interval[1],
            "method": "Clopper-Pearson",
        },
        "ruled_out": row.ruled_out,
        "distinct_answers": row.distinct_answers,
        "modal_share": None if row.modal_share is None else rate(row.modal_share),
        "parting": None if row.parting is None else dataclasses.asdict(row.parting),
        "contrast": None if row.contrast is None else dataclasses.asdict(row.contrast),
        "category": row.category,
        "tags": list(row.tags),
        "cluster": row.cluster,
        "attempts": [_attempt(attempt) for attempt in row.attempts],
    }


def _attempt(attempt: AttemptRecord) -> dict[str, Any]:
    return {
        "index": attempt.index,
        "outcome": attempt.outcome,
        "answer": attempt.answer,
        "text": attempt.text,
        "error": attempt.error,
        "failures": [dataclasses.asdict(failure) for failure in attempt.failures],
        "seconds": None if attempt.seconds is None else float(attempt.seconds),
        "tokens": attempt.tokens,
    }
