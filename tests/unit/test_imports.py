"""What verifying loads, and what it must not."""

import subprocess
import sys

import pytest

HEAVY = {
    "aiohttp", "asyncio", "dask", "http", "httpx", "jinja2", "jsonschema", "matplotlib", "multiprocessing",
    "numpy", "rich", "ruamel", "ssl", "subprocess", "typer", "yaml",
}  # fmt: skip


def loaded(module: str) -> set[str]:
    program = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(ended.stdout.split())


@pytest.mark.parametrize("module", ["passfloor.verification.verifier", "passfloor.receipts"])
def test_verifying_loads_no_client_no_server_and_nothing_that_only_others_need(module):
    assert HEAVY & loaded(module) == set()


def test_the_package_itself_loads_nothing():
    assert not {"pydantic", "cryptography", "rfc8785", "re2", "json"} & loaded("passfloor")
