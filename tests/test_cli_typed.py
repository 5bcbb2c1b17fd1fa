"""Messages of the command name its options, not the arguments of the function behind them."""

from __future__ import annotations

import pytest

from command import STEADY, one_line, unbudged, write
from unbudged import UsageError, run


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--budget", "3"], "unbudged: --budget 3 is too few: one attack on 2 baselines"),
        (["--max-calls", "5"], "unbudged: --max-calls 5 is too few: one pass"),
        (["--worst", "--attack", "role.administrator"], "unbudged: --worst chooses among attacks"),
        (["--worst", "--budget", "3"], "unbudged: --budget 3 is too few: a search and the test"),
        (["--scale", "1-5", "--pass-mark", "7"], "unbudged: --pass-mark 7 lies outside"),
        (["--alpha", "7"], "unbudged: --alpha must lie above 0"),
        (["--goal", " "], "unbudged: --goal must be an order"),
        (["--contrast", "a", "a"], "unbudged: --contrast needs a good and a bad answer"),
    ],
)
def test_an_option_is_named_as_it_is_typed(tmp_path, options, says):
    done = unbudged("run", write(tmp_path, STEADY), *options, cwd=tmp_path)
    one_line(done, says)


def test_in_python_an_argument_is_named_as_it_is_written():
    with pytest.raises(UsageError, match=r"^max_calls=5 is too few"):
        run(len, ["Tea needs water."], max_calls=5)


def test_a_setting_is_said_to_come_from_its_file(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.unbudged]\nmax-calls = 5\n", encoding="utf-8")
    done = unbudged("run", write(tmp_path, STEADY), cwd=tmp_path)
    one_line(done, "--max-calls 5 is too few")
    one_line(done, "(set in pyproject.toml, [tool.unbudged])")


def test_what_a_file_is_called_is_left_alone(tmp_path):
    write(tmp_path, "budget=1,max_calls\n", "max_calls=2.csv")
    target = write(tmp_path, STEADY)
    done = unbudged("run", target, "--corpus", "max_calls=2.csv", cwd=tmp_path)
    one_line(done, "max_calls=2.csv, line 1: no column is known")
    one_line(done, "there are 'budget=1', 'max_calls'")
