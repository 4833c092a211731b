"""The declared assertions of a task: one model a kind. ``passfloor.grading`` decides what each means."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from passfloor.models.base import Count, Document
from passfloor.models.content import Content

Number = int | float
Text = str
Path = Annotated[str, StringConstraints(min_length=1)]
Name = Annotated[str, StringConstraints(min_length=1)]

MAX_GRADER_S = 3600
"""The most seconds a grader with code can be given: one hour."""

_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
GraderSeconds = Annotated[Number, Field(gt=0, le=MAX_GRADER_S)]
Word = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]


class Completed(Document):
    """The attempt finished."""

    kind: Literal["completed"]


class ExitCode(Document):
    """The agent's exit status is ``expected``; with it a status other than 0 is no longer an error."""

    kind: Literal["exit_code"]
    expected: Annotated[int, Field(ge=0, le=255)]


class OutputEquals(Document):
    """The output is ``expected``; one trailing newline is ignored unless ``exact``."""

    kind: Literal["output_equals"]
    expected: str
    exact: bool = False


class OutputContains(Document):
    """The output holds ``text``."""

    kind: Literal["output_contains"]
    text: Annotated[str, StringConstraints(min_length=1)]


class OutputNotContains(Document):
    """The output does not hold ``text``."""

    kind: Literal["output_not_contains"]
    text: Annotated[str, StringConstraints(min_length=1)]


class OutputMatches(Document):
    """The RE2 ``pattern`` is found in the output (anchor it with ``^`` and ``$`` for the whole)."""

    kind: Literal["output_matches"]
    pattern: str
    exact: bool = False


class NumberClose(Document):
    """The whole trimmed output is one JSON number within ``abs_tol`` or ``rel_tol`` of ``value``."""

    kind: Literal["number_close"]
    value: Number
    abs_tol: Annotated[Number, Field(ge=0)] = 0
    rel_tol: Annotated[Number, Field(ge=0)] = 0


class JsonEquals(Document):
    """The output is one JSON value equal to ``expected`` (1 and 1.0 are one number)."""

    kind: Literal["json_equals"]
    expected: Any


class JsonPath(Document):
    """The value at the RFC 6901 ``pointer`` of the output's JSON equals ``expected``."""

    kind: Literal["json_path"]
    pointer: str
    expected: Any


class JsonSchema(Document):
    """The output is one JSON value that satisfies ``schema`` (draft 2020-12, no remote ``$ref``)."""

    kind: Literal["json_schema"]
    schema_: dict[str, Any] | bool = Field(alias="schema")


class FileExists(Document):
    """A regular file stands at ``path`` afterwards."""

    kind: Literal["file_exists"]
    path: Path


class FileAbsent(Document):
    """No regular file stands at ``path`` afterwards."""

    kind: Literal["file_absent"]
    path: Path


class ContentEq(Document):
    """The file's text is ``expected``; one trailing newline is ignored unless ``exact``."""

    kind: Literal["content_eq"]
    path: Path
    expected: str
    exact: bool = False


class Contains(Document):
    """The file's text holds ``text``."""

    kind: Literal["contains"]
    path: Path
    text: Annotated[str, StringConstraints(min_length=1)]


class FileSha256(Document):
    """The file's bytes have the SHA-256 ``expected`` (64 lower-case hex digits)."""

    kind: Literal["file_sha256"]
    path: Path
    expected: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class LineCountDelta(Document):
    """Lines of the file after, minus lines before, is at most ``max_delta``."""

    kind: Literal["line_count_delta"]
    path: Path
    max_delta: int


class SyntaxValid(Document):
    """The file is valid Python."""

    kind: Literal["syntax_valid"]
    path: Path | None = None


class SymbolPresent(Document):
    """The Python file defines or uses the name ``symbol``."""

    kind: Literal["symbol_present"]
    symbol: Name
    path: Path | None = None


class NoSymbol(Document):
    """The Python file neither defines nor uses the name ``symbol``."""

    kind: Literal["no_symbol"]
    symbol: Name
    path: Path | None = None


class NoUnusedImport(Document):
    """Every name the Python file imports is used in it."""

    kind: Literal["no_unused_import"]
    path: Path | None = None


class HasDocstring(Document):
    """The function or method ``function`` has a docstring that is not blank."""

    kind: Literal["has_docstring"]
    function: Name
    path: Path | None = None


class DocstringContains(Document):
    """The docstring of ``function`` holds ``text``."""

    kind: Literal["docstring_contains"]
    function: Name
    text: Annotated[str, StringConstraints(min_length=1)]
    path: Path | None = None


class ToolCalled(Document):
    """The agent called ``tool`` at least once."""

    kind: Literal["tool_called"]
    tool: Name


class ToolNotCalled(Document):
    """The agent never called ``tool``."""

    kind: Literal["tool_not_called"]
    tool: Name


class CallCount(Document):
    """The agent called ``tool`` at least ``min`` and at most ``max`` times."""

    kind: Literal["call_count"]
    tool: Name
    min: Count = 0
    max: Count | None = None


class Command(Document):
    """A program that is run on the captured files exits with 0.

    ``argv`` is the program and its words, or ``run`` one text for ``sh -c``: exactly one of them. It starts
    in a fresh folder with the captured files and over them ``files`` (relative POSIX path -> content); the
    answer stands at ``answer_file`` where that is named. Exit status 1 to 125 is false; any other end cannot
    be judged. ``timeout_s``: seconds, 60 where it is not set.
    """

    kind: Literal["command"]
    argv: Annotated[list[Word], Field(min_length=1)] | None = None
    run: Annotated[Word, StringConstraints(min_length=1)] | None = None
    files: dict[str, Content] = Field(default_factory=dict)
    answer_file: Path | None = None
    timeout_s: GraderSeconds | None = None


class Python(Document):
    """The suite's own function ``grader`` (``module:function``), called with the attempt, returns True.

    Its module, and what else it imports of the suite's, stand in ``files``. ``timeout_s``: as of ``command``.
    """

    kind: Literal["python"]
    grader: Annotated[str, StringConstraints(pattern=rf"^{_IDENTIFIER}(\.{_IDENTIFIER})*:{_IDENTIFIER}$")]
    files: dict[str, Content] = Field(default_factory=dict)
    timeout_s: GraderSeconds | None = None

    @property
    def module_path(self) -> str:
        """Where the module stands among ``files``."""
        return self.grader.partition(":")[0].replace(".", "/") + ".py"


class Imported(Document):
    """The record of another tool, imported as the attempt's output, says that the attempt passed.

    ``importer`` names whose records they are, ``rule`` is what they are read by.
    """

    kind: Literal["imported"]
    importer: Name
    rule: dict[str, Any]


Assertion = Annotated[
    Completed
    | ExitCode
    | OutputEquals
    | OutputContains
    | OutputNotContains
    | OutputMatches
    | NumberClose
    | JsonEquals
    | JsonPath
    | JsonSchema
    | FileExists
    | FileAbsent
    | ContentEq
    | Contains
    | FileSha256
    | LineCountDelta
    | SyntaxValid
    | SymbolPresent
    | NoSymbol
    | NoUnusedImport
    | HasDocstring
    | DocstringContains
    | ToolCalled
    | ToolNotCalled
    | CallCount
    | Command
    | Python
    | Imported,
    Field(discriminator="kind"),
]
"""Any declared assertion, told apart by ``kind``."""

CODE_KINDS = frozenset({"command", "python"})
"""Kinds whose graders are code that a suite brings: only who may run it can evaluate them."""
