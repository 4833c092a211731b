"""A suite to begin with: two tasks that the packaged reference agent can do, to be replaced by one's own."""

import json
from pathlib import Path

from passfloor.errors import EnvironmentFault, SuiteError
from passfloor.models.names import id_problem
from passfloor.suites.places import quoted, shown

_SUITE = """\
# A suite: what is asked, and what must be true afterwards.
# Check it after each change:   passfloor suite validate {shell}
version: {version}

tasks:
  # 1. From a prompt to a text. The agent gets `description` on standard input, exactly as it stands here;
  #    `output_...` assertions look at what it prints. For a question with one answer write for example
  #    {{kind: output_equals, expected: "42"}}.
  - id: sort_and_say
    description: |
      Read `guests.txt`. Sort the lines. Write the result to `sorted.txt`.
      Do not print anything but the word `wrote`, a blank and the name of the file that you wrote.
    files:
      guests.txt: |
        Mira
        Anton
        Zoe
    assertions:
      - {{kind: output_equals, expected: wrote sorted.txt}}

  # 2. A job on files. The agent works in a new folder that holds `files`; the assertions look at the files it
  #    leaves there. `steps` are for agents that take instructions one by one, and may be left out.
  - id: shipped_totals
    category: file_io
    description: |
      Work out how much each customer's shipped orders in `orders.csv` come to (quantity times unit price,
      exactly, with two decimals) and write that to `totals.csv` with the header line `customer,total`, the
      largest total first. Do not change `orders.csv`.
    steps:
      - Read `orders.csv`.
      - Keep the rows whose `status` is `shipped`.
      - Add the column `total`, which is `quantity` times `unit_price`.
      - Sum `total` for each `customer`, with 2 decimals.
      - Sort the rows by `total` from largest to smallest.
      - Write the columns `customer` and `total` to `totals.csv`.
      - Leave `orders.csv` as it is.
    files:
      # A file beside this one; a short text can stand here itself, as in the task above.
      orders.csv: {{from: files/orders.csv}}
    assertions:
      - kind: content_eq
        path: totals.csv
        expected: |
          customer,total
          Northwind,31.50
          Harbour,7.20
      # What must not change: sha256sum files/orders.csv
      - kind: file_sha256
        path: orders.csv
        expected: {orders_sha256}
"""

_ORDERS = b"""\
customer,quantity,unit_price,status
Northwind,3,9.50,shipped
Harbour,2,3.60,shipped
Harbour,1,99.00,cancelled
Northwind,1,3.00,shipped
"""

_README = """\
# {title}

What this suite measures: write here which work of your agent it stands for, and what it cannot see.

- `suite.yaml`: the tasks. The prompt is `description`, byte for byte; a task passes when all its
  assertions hold.
- `files/`: files that tasks start with.

From the folder above this one (the packaged agent passes these two tasks; then name your own):

    passfloor suite validate {shell}
    passfloor bench run {shell} --reliability 2 --agent passfloor-reference
    passfloor bench run {shell} --reliability 5 --agent 'your command'

Any change to a task changes the suite's hash, and receipts name the hash: give a changed suite a new
`version`.
"""


def starter(name: str) -> dict[str, bytes]:
    """The files of a starter suite.

    Args:
        name: What the suite is called; its version is ``<name>-v1``.

    Returns:
        Relative POSIX path -> content. The suite loads, has no lint warnings, and the packaged reference
        agent passes it.

    Raises:
        SuiteError: The name cannot be part of a version.
    """
    version = f"{name}-v1"
    problem = id_problem(version) if name else "is empty"
    if problem:
        raise SuiteError(f"the name {quoted(name)} {problem}; choose another")
    from passfloor.canonical import sha256_hex

    plain = all(letter.isascii() and (letter.isalnum() or letter in "-_.") for letter in name)
    words = {
        "version": version if plain and name[0].isalpha() else json.dumps(version),
        "shell": f"./{name}" if plain else "FOLDER",
        "orders_sha256": sha256_hex(_ORDERS),
    }
    return {
        "suite.yaml": _SUITE.format_map(words).encode(),
        "files/orders.csv": _ORDERS,
        "README.md": _README.format(title=version, shell=words["shell"]).encode(),
    }


def write_starter(folder: Path) -> list[Path]:
    """Write a starter suite, called like the folder, into a new or empty folder.

    Returns:
        The files written, sorted.

    Raises:
        SuiteError: The folder is not empty, is no folder, or its name cannot be part of a version.
        EnvironmentFault: It cannot be written to.
    """
    files = starter(folder.resolve().name)
    where = shown(str(folder), 300)
    try:
        if folder.exists() and not folder.is_dir():
            raise SuiteError(f"{where}: is a file; name a new folder")
        if folder.is_dir() and any(folder.iterdir()):
            raise SuiteError(f"{where}: the folder is not empty; name a new one")
        for relative, content in files.items():
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as handle:
                handle.write(content)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise EnvironmentFault(f"{where}: cannot be written: {reason}; name another folder") from None
    return sorted(folder / relative for relative in files)
