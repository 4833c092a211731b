"""The captured files."""

import hashlib

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.text import same_text
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import (
    Contains,
    ContentEq,
    FileAbsent,
    FileExists,
    FileSha256,
    LineCountDelta,
)


def whole_file(evidence: Evidence, path: str) -> bytes | None:
    """The file's content, None where there is no such file.

    Raises:
        CannotJudge: only its beginning was kept.
    """
    file = evidence.files.get(path)
    if file is None:
        return None
    if file.cut:
        raise CannotJudge("the file was cut short")
    return file.data


def whole_text(evidence: Evidence, path: str) -> str | None:
    """The file's text, None where there is no such file or it is not UTF-8.

    Raises:
        CannotJudge: only its beginning was kept.
    """
    data = whole_file(evidence, path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def file_exists(assertion: FileExists, evidence: Evidence) -> bool:
    """Whether a regular file stands at the path."""
    return assertion.path in evidence.files


def file_absent(assertion: FileAbsent, evidence: Evidence) -> bool:
    """Whether no regular file stands at the path."""
    return assertion.path not in evidence.files


def content_eq(assertion: ContentEq, evidence: Evidence) -> bool:
    """Whether the file's text is the expected one."""
    text = whole_text(evidence, assertion.path)
    return text is not None and same_text(text, assertion.expected, exact=assertion.exact)


def contains(assertion: Contains, evidence: Evidence) -> bool:
    """Whether the text stands in the file."""
    text = whole_text(evidence, assertion.path)
    return text is not None and assertion.text in text


def file_sha256(assertion: FileSha256, evidence: Evidence) -> bool:
    """Whether the file's bytes have the expected SHA-256."""
    data = whole_file(evidence, assertion.path)
    return data is not None and hashlib.sha256(data).hexdigest() == assertion.expected


def line_count_delta(assertion: LineCountDelta, evidence: Evidence) -> bool:
    """Whether the file grew by at most ``max_delta`` lines; a file that was not there before had none."""
    after = whole_file(evidence, assertion.path)
    if after is None:
        return False
    return _lines(after) - _lines(evidence.starting.get(assertion.path, b"")) <= assertion.max_delta


def _lines(data: bytes) -> int:
    """Lines that end with a newline, and the last one that does not."""
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))
