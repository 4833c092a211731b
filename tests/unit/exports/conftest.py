"""The receipt vectors' own modules, importable by name."""

import sys
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "vectors" / "receipts"
if str(VECTORS) not in sys.path:
    sys.path.insert(0, str(VECTORS))
