"""Suites: loading, checking, the ones that come with the program, and new ones."""

from passfloor.suites.catalogue import (
    build_answers_suite_v1,
    build_golden_suite_v1,
    builtin,
    builtin_folder,
    builtin_matching,
    builtin_names,
)
from passfloor.suites.linting import lint
from passfloor.suites.loader import load_suite
from passfloor.suites.reader import read_suite, require_assertions
from passfloor.suites.starters import starter, write_starter

__all__ = [
    "build_answers_suite_v1",
    "build_golden_suite_v1",
    "builtin",
    "builtin_folder",
    "builtin_matching",
    "builtin_names",
    "lint",
    "load_suite",
    "read_suite",
    "require_assertions",
    "starter",
    "write_starter",
]
