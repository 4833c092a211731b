"""Runs of Terminal-Bench: ``runs`` finds the trials, ``importer`` numbers them."""

from passfloor.importers.terminal_bench.importer import TerminalBenchImporter

__all__ = ["TerminalBenchImporter"]
