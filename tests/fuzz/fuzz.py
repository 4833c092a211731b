"""Coverage-guided fuzzing of the verifier with Atheris (libFuzzer).

    python tests/fuzz/fuzz.py bytes [CORPUS ...] [-runs=N] [-max_total_time=SECONDS] [-seed=N]
    python tests/fuzz/fuzz.py key_holder ...

``bytes`` feeds any bytes, beginning with receipts of the vectors; ``key_holder`` reads the bytes as edits
of a sealed receipt that is sealed again. An exception is a fault, and so is a match that does not follow
from the evidence. Inputs that found something are written where libFuzzer is told to
(``-artifact_prefix=DIR/``).
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["passfloor"]):
    import targets


def main(words):
    name = words[1] if len(words) > 1 else ""
    if name not in targets.TARGETS:
        raise SystemExit(f"unknown target '{name}': name one of {', '.join(targets.TARGETS)}")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for seed in targets.SEEDS if name == "bytes" else ():
            source = targets.VECTORS / seed / "receipt.json"
            (Path(folder) / seed).write_bytes(source.read_bytes())
        target = targets.TARGETS[name]
        options = [] if name == "bytes" else ["-max_len=64", "-len_control=0"]
        atheris.Setup([words[0], *options, *words[2:], folder], lambda data: _run(target, data))
        atheris.Fuzz()


def _run(target, data):
    target(data)


if __name__ == "__main__":
    main(sys.argv)
