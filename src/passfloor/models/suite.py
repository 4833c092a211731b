"""A suite and its tasks, as read; and the hashes that name them."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from passfloor.canonical import digest, sha256_hex
from passfloor.models.assertions import Assertion, Command, Number, Python
from passfloor.models.base import Document
from passfloor.models.content import Content, content_bytes, content_hash

MAX_TIMEOUT_S = 30 * 24 * 3600
"""The most seconds an attempt can be given: thirty days. Clocks of some systems end not far above."""


class Task(Document):
    """One problem with its assertions.

    ``description`` is the prompt, byte for byte. ``files``: relative POSIX path -> starting content.
    """

    id: str
    description: str
    steps: list[str] = Field(default_factory=list)
    assertions: list[Assertion] = Field(default_factory=list)
    category: str | None = None
    files: dict[str, Content] = Field(default_factory=dict)
    timeout_s: Annotated[Number, Field(gt=0, le=MAX_TIMEOUT_S)] | None = None
    tags: list[str] = Field(default_factory=list)
    cluster: str | None = None

    @cached_property
    def file_bytes(self) -> dict[str, bytes]:
        """The starting files, path -> content."""
        return {path: content_bytes(content) for path, content in self.files.items()}

    @cached_property
    def file_hashes(self) -> dict[str, str]:
        """The starting files, path -> SHA-256 of the content in hex."""
        return {path: sha256_hex(content) for path, content in self.file_bytes.items()}

    @cached_property
    def task_hash(self) -> str:
        """SHA-256 of the RFC 8785 form of the task as read: files as path -> sha256, unset members absent.

        The files of graders with code stand in it likewise.
        """
        document = self.document()
        if "files" in document:
            document["files"] = self.file_hashes
        for assertion, sealed in zip(self.assertions, document.get("assertions", ()), strict=False):
            if isinstance(assertion, Command | Python) and "files" in sealed:
                sealed["files"] = {path: content_hash(content) for path, content in assertion.files.items()}
        return digest(document)

    def document(self) -> dict[str, Any]:
        """The task as JSON data; members that were not set are absent."""
        return self.model_dump(exclude_unset=True, by_alias=True)


class Suite(Document):
    """A versioned, content-addressed list of tasks."""

    version: Annotated[str, StringConstraints(min_length=1)]
    tasks: Annotated[list[Task], Field(min_length=1)]

    @cached_property
    def suite_hash(self) -> str:
        """SHA-256 of the RFC 8785 form of ``{version, task_hashes}``, tasks in order."""
        return hash_suite(self.version, (task.task_hash for task in self.tasks))

    @cached_property
    def by_id(self) -> Mapping[str, Task]:
        """Task id -> task, in suite order."""
        return {task.id: task for task in self.tasks}

    def document(self) -> dict[str, Any]:
        """The suite as JSON data with its files inside: loading it gives the same hashes."""
        return {"version": self.version, "tasks": [task.document() for task in self.tasks]}


def hash_suite(version: str, task_hashes: Iterable[str]) -> str:
    """SHA-256 of the RFC 8785 form of ``{version, task_hashes}``, in hex."""
    return digest({"version": version, "task_hashes": list(task_hashes)})
