"""A suite from a file, or from a folder that holds one."""

import os
import stat
from pathlib import Path

from passfloor.errors import SuiteError
from passfloor.models.suite import Suite
from passfloor.suites.documents import MAX_BYTES, kind_of, parse_document
from passfloor.suites.places import shown
from passfloor.suites.reader import read_suite

DOCUMENTS = ("suite.yaml", "suite.yml", "suite.json")
"""The names of a suite document in a folder."""


def load_path(path: Path) -> Suite:
    """Load the suite at ``path``, a ``.yaml``, ``.yml`` or ``.json`` file, or a folder with ``suite.yaml``.

    Reads the document and the files it names beside it, always as UTF-8; writes nothing.

    Raises:
        SuiteError: It cannot be read, or is not a suite.
    """
    document = _document_in(path) if path.is_dir() else path
    kind = kind_of(document)
    if kind is None:
        raise SuiteError(
            f"{shown(str(document), 300)}: is no suite by its name; end it in .yaml, .yml or .json"
        )
    source = str(document)
    value = parse_document(_read(document), kind=kind, source=source)
    return read_suite(value, folder=document.parent, source=source)


def _document_in(folder: Path) -> Path:
    found = [folder / name for name in DOCUMENTS if os.path.lexists(folder / name)]
    where = shown(str(folder), 300)
    if not found:
        raise SuiteError(f"{where}: the folder holds no suite.yaml (or suite.yml, suite.json); add one")
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise SuiteError(f"{where}: the folder holds {names}; keep one")
    return found[0]


def _read(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK a named pipe would be waited for before it can be refused.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as handle:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SuiteError(f"{shown(str(path), 300)}: is not a regular file; name a file or a folder")
            return handle.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise SuiteError(f"{shown(str(path), 300)}: cannot be read: {reason}") from None
