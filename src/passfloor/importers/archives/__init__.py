"""Zip archives of others: members read as streams from where they lie, and never unpacked to disk.

Read here and not by the standard library, which builds an object for each of a million members and, before
Python 3.14, has no Zstandard (method 93). The form is that of the ZIP File Format Specification 6.3.10:
``contents`` reads its table of contents, ``unpacking`` its members.
"""

from passfloor.importers.archives.contents import MAX_MEMBERS, Member, members, starts_as_zip
from passfloor.importers.archives.unpacking import MAX_MEMBER, MAX_RATIO, opened, read

__all__ = ["MAX_MEMBER", "MAX_MEMBERS", "MAX_RATIO", "Member", "members", "opened", "read", "starts_as_zip"]
