"""One import as the command line asks for it: read, told, sealed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli.exits import Exit
from passfloor.cli.import_flags import ImportFlags
from passfloor.cli.outputs import complain, print_json, print_text
from passfloor.errors import ImportRefused, UsageError

if TYPE_CHECKING:
    from passfloor.importers.collated import Collated
    from passfloor.importers.interface import Asked, Importer
    from passfloor.report.importing import Told
    from passfloor.running.sealing import Draft


_SIGNATURE = 1000
_STEP = 64 * 1024


@dataclass(frozen=True)
class Import:
    """An import that can be performed: ``asked`` is what its flags say of the log, as importers take it."""

    form: str
    path: Path
    flags: ImportFlags
    asked: "Asked"
    as_json: bool

    @property
    def out(self) -> Path | None:
        """Where the receipt is written; None: none is made."""
        return None if self.flags.no_receipt else self.flags.out

    def perform(self) -> Exit:
        """Read the log, seal what it says, and tell it.

        Raises:
            ImportRefused: it is no such log, or not one that can be sealed.
            EnvironmentFault: the machine stands in the way.
        """
        from passfloor.importers.collate import collate
        from passfloor.importers.spool import RecordSpool
        from passfloor.scrubbing import Scrubber

        if self.out is not None:
            from passfloor.running.preflight import check_out

            check_out(self.out, force=self.flags.force)
        importer, why = self._importer()
        scrubber = Scrubber((), tuple(self.flags.scrub or ()))
        with RecordSpool() as spool:
            log = importer.read(self.path, self.asked)
            found = collate(log, self.asked, spool, attempts=self.flags.attempts, scrubber=scrubber)
            told = self._told(found, why)
            if self.out is not None:
                told = self._sealed(told, self.out)
        return self._tell(told)

    def _importer(self) -> "tuple[Importer, str]":
        from passfloor.importers import registry

        if self.form != registry.AUTO:
            return registry.importer(self.form), ""
        found = registry.recognise(self.path)
        if not found:
            if not self.path.exists():
                raise ImportRefused(f"cannot read {str(self.path)[:200]!a}: there is no such file or folder")
            raise ImportRefused(
                f"{str(self.path)[:200]!a} is of no format known here: name one, which then says why "
                "(bench import --list)"
            )
        if len(found) > 1:
            several = "; ".join(f"{each.name}, because {why}" for each, why in found)
            raise ImportRefused(
                f"it may be the log of {len(found)} tools: {several}; name one in place of auto"
            )
        return found[0]

    def _told(self, found: "Collated", why: str) -> "Told":
        from passfloor.report.importing import Told

        sizes = found.sizes
        k = min(sizes) if self.flags.reliability is None else self.flags.reliability
        if k > max(sizes):
            raise UsageError(
                f"k={k} > n={max(sizes)}: no task has so many attempts; give a smaller --reliability"
            )
        return Told(found, k, str(self.path), why)

    def _sealed(self, told: "Told", out: Path) -> "Told":
        """Seal, sign and write the receipt."""
        from passfloor.cli.options import RUNS_DIR
        from passfloor.cli.signing import signer_for
        from passfloor.running.imported import Asking, seal_import
        from passfloor.running.saving import place

        flags = self.flags
        asking = Asking(told.k, flags.claim.claims(), slim=flags.slim, source=self.path.name)
        with seal_import(told.found, asking, folder=out.absolute().parent) as draft:
            self._check_size(draft)
            signer, _ = signer_for(stub=flags.stub_signer, runs_dir=RUNS_DIR)
            head = signer.sign(draft.head)
            written = place(draft.file(head), out, replace=flags.force, run=head.session.run)
        return replace(told, receipt=str(written), head=head)

    def _check_size(self, draft: "Draft") -> None:
        size = sum(map(len, draft.file(draft.head))) + _SIGNATURE
        if size > self.asked.max_bytes:
            # Times and ids of the next try take a few bytes more or less.
            enough = (size // _STEP + 2) * _STEP
            raise ImportRefused(
                f"the receipt would take {size} bytes, the limit is {self.asked.max_bytes}: allow it with "
                f"--max-bytes {enough} (whoever verifies it needs the same), or keep digests of the records "
                "with --slim"
            )

    def _tell(self, told: "Told") -> Exit:
        from passfloor.report.importing import document, text

        if self.as_json:
            print_json(document(told))
        else:
            print_text(text(told))
        found = told.found
        if not found.count("passed", "wrong"):
            return complain(
                f"every attempt errored (the first: {found.first_error or 'missing'}): the figures say "
                "nothing about the agent",
                Exit.UNDECIDED,
            )
        return Exit.DONE
