import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "docs" / "tools"


@pytest.fixture(scope="session", autouse=True)
def _tools_on_path():
    sys.path.insert(0, str(TOOLS))
    yield
    sys.path.remove(str(TOOLS))


@pytest.fixture(scope="session")
def docs() -> Path:
    return ROOT / "docs"


@pytest.fixture(scope="session")
def readme() -> Path:
    return ROOT / "README.md"


@pytest.fixture(scope="session")
def every_page(docs, readme) -> dict[str, str]:
    """Page -> text of all that people read: the README, docs, .github."""
    paths = [readme, *docs.rglob("*.md"), *(ROOT / ".github").rglob("*.md")]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(paths)}
