"""The envelope: what every report shows, built once from judged attempts and said by every renderer."""

from passfloor.report.envelope.collecting import Collector
from passfloor.report.envelope.deriving import Reading, of_receipt, of_rows, whole
from passfloor.report.envelope.model import CurvePoint, Envelope, Measure, Remark, Source, TaskRow
from passfloor.report.envelope.records import AttemptRecord, Contrast, Failure, Parting
from passfloor.report.envelope.rows import read_rows

__all__ = [
    "AttemptRecord",
    "Collector",
    "Contrast",
    "CurvePoint",
    "Envelope",
    "Failure",
    "Measure",
    "Parting",
    "Reading",
    "Remark",
    "Source",
    "TaskRow",
    "of_receipt",
    "of_rows",
    "read_rows",
    "whole",
]
