"""Receipts to measure with, made once a session; and this folder's modules, which are no package."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def receipts(tmp_path_factory):
    """Shape name -> path of an honest receipt, made when it is first asked for."""
    import made

    folder = tmp_path_factory.mktemp("receipts")

    def receipt(shape: str) -> Path:
        path = folder / f"{shape}.json"
        if not path.exists():
            made.save(made.SHAPES[shape], path)
        return path

    return receipt
