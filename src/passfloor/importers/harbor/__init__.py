"""Job folders of Harbor: ``jobs`` finds the trials, ``importer`` says what they are attempts of."""

from passfloor.importers.harbor.importer import HarborImporter

__all__ = ["HarborImporter"]
