"""How a person is told to go on with a run."""

import pytest

from passfloor.cli.command_line import remember, resume_command


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    remember(())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["bench", "run", "my suite"], "passfloor bench run 'my suite' --resume"),
        (["bench", "run", "s", "--resume", "--quiet"], "passfloor bench run s --resume --quiet"),
        (["bench", "run", "s", "--run", "r1"], "passfloor bench run s --run r1"),
        (["bench", "run", "s", "--run=r1"], "passfloor bench run s --run=r1"),
        (["bench", "run", "--", "-s"], "passfloor bench run --resume -- -s"),
    ],
)
def test_the_words_as_they_were_given_go_on_with_the_run(words, told):
    remember(words)
    assert resume_command() == told
