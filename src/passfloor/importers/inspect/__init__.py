"""Inspect logs: ``.eval`` archives, ``.json`` files, or a folder of them."""

from passfloor.importers.inspect.importer import InspectImporter

__all__ = ["InspectImporter"]
