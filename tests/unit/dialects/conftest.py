"""The replies of the fake upstream, which stands beside the proxy's tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "recording"))
