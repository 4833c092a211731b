"""``python -m passfloor``: the command line."""

from passfloor.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
