"""Outputs of promptfoo: ``rows`` reads them, ``groups`` finds repeats, ``importer`` makes a log of them."""

from passfloor.importers.promptfoo.importer import PromptfooImporter

__all__ = ["PromptfooImporter"]
