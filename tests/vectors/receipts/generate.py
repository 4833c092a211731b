"""Write the receipt vectors, or with ``--check`` compare them with what a fresh generation gives.

Run it with the project's Python: ``python tests/vectors/receipts/generate.py [--check]``.
"""

import json
import shutil
import sys
from pathlib import Path

import cases_attempts
import cases_attested
import cases_bytes
import cases_causal
import cases_claims
import cases_forgeries
import cases_keys
import cases_policy
import cases_redacted
import cases_signature
import cases_statements
import cases_suites

HERE = Path(__file__).parent
BESIDE = ("jwks/*.json", "commitments/*.json", "ledgers/*.jsonl")
SOURCES = (
    cases_suites,
    cases_claims,
    cases_attempts,
    cases_causal,
    cases_signature,
    cases_bytes,
    cases_statements,
    cases_forgeries,
    cases_keys,
    cases_policy,
    cases_attested,
    cases_redacted,
)


def files():
    """Relative path -> content of everything that is generated."""
    made = {}
    for name, suite in {**cases_suites.SUITES, **cases_attested.SUITES}.items():
        text = json.dumps(suite, indent=2, ensure_ascii=False) + "\n"
        made[f"suites/{name}.json"] = text.encode()
    for name, statement in cases_statements.STATEMENTS.items():
        made[f"statements/{name}.json"] = (json.dumps(statement, indent=2) + "\n").encode()
    for name, keys in cases_keys.JWKS.items():
        made[f"jwks/{name}.json"] = (json.dumps({"keys": keys}, indent=2) + "\n").encode()
    made |= cases_policy.side_files()
    for source in SOURCES:
        for case in source.cases():
            path = f"{case.folder}/receipt.json"
            if path in made:
                raise SystemExit(f"two cases are called {case.folder}")
            made[path] = case.receipt
            made[f"{case.folder}/expected.json"] = case.expected()
    return made


def present():
    """Relative path -> content of everything that is checked in."""
    patterns = ("*/receipt.json", "*/expected.json", "suites/*.json", "statements/*.json", *BESIDE)
    paths = [path for pattern in patterns for path in HERE.glob(pattern)]
    return {path.relative_to(HERE).as_posix(): path.read_bytes() for path in paths}


def main():
    made, kept = files(), present()
    wrong = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    if "--check" in sys.argv[1:]:
        for name in wrong:
            print(f"differs: {name}")
        print(f"{len(made)} files, {len(wrong)} differ")
        return 1 if wrong else 0
    for name in wrong:
        path = HERE / name
        if name in made:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(made[name])
        elif path.name in ("receipt.json", "expected.json"):
            shutil.rmtree(path.parent, ignore_errors=True)
        else:
            path.unlink()
    print(f"{len(made)} files, {len(wrong)} written anew or removed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
