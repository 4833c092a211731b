"""JUnit XML: ``report`` parses one as a stream, ``importer`` says which cases are attempts of what."""

from passfloor.importers.junit.importer import JunitImporter

__all__ = ["JunitImporter"]
