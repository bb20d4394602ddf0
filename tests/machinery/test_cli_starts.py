"""Start values and library models with arguments, typed in the shell; single numbers in Python."""

import sys

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main
from hamiltree.errors import OptionError
from hamiltree.model.library_calls import parse_library_call

SHORT = ("--until", "0.01", "--step", "0.01", "--quiet", "--report", "none")


@pytest.fixture
def shell(monkeypatch, tmp_path, capsys):
    """shell(*arguments): exit code and standard error, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code or 0, capsys.readouterr().err

    return call


def test_a_run_starts_where_the_shell_says(shell):
    starts = ("--q", "joint2=0.5", "--q", "joint1=-1.2", "--qdot", "1,2")
    names = ht.library.n_pendulum(2).coordinates
    starts = [word.replace("joint1", names[0]).replace("joint2", names[1]) for word in starts]
    code, _ = shell("run", "n_pendulum(2)", *starts, *SHORT, "-o", "run.nc")
    run = ht.load("run.nc")
    assert code == 0
    assert run.q.values[0].tolist() == [-1.2, 0.5]
    assert np.allclose(run.qdot.values[0], [1.0, 2.0], rtol=1e-12)


def test_a_single_number_is_the_start_of_a_single_joint(shell):
    assert shell("run", "pendulum", "--q", "0.7", *SHORT)[0] == 0
    run = ht.load("pendulum.nc")
    assert run.q.values[0, 0] == 0.7
    again = ht.simulate(
        ht.library.pendulum(), q=0.7, qdot=np.float64(0.1), until=0.01, step=0.01, progress=False
    )
    assert again.q.values[0, 0] == 0.7 and again.qdot.values[0, 0] == pytest.approx(0.1, rel=1e-14)
    with pytest.raises(OptionError, match="q has 1 values, the model has 2 coordinates"):
        ht.simulate(ht.library.n_pendulum(2), q=1.0, until=0.01, progress=False)


def test_files_of_library_models_with_arguments_have_plain_names(shell, tmp_path):
    assert shell("run", "n_pendulum(2, length=0.5)", *SHORT)[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["n_pendulum_2_length=0.5.nc"]
    assert np.allclose(ht.load("n_pendulum_2_length=0.5.nc").poses.values[0, 1, :3], [0, 0, -0.5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("n_pendulum(5",), "'n_pendulum(5' is not name(arguments), e.g. 'n_pendulum(5)'"),
        (("n_pendulum(open)",), "'open' is no literal"),
        (("n_pendulum(__import__('os').getcwd())",), "is no literal"),
        (("n_pendulum(2)(3)",), "is not name(arguments)"),
        (("n_pendulum(2, mas=1)",), "has no argument 'mas'; did you mean 'mass'"),
        (("n_pendulum(2, 1, 1, 1, 1)",), "too many positional arguments; it is n_pendulum(n"),
        (("n_pendulum(mass=2)",), "missing a required argument: 'n'"),
        (("n_pendulum(**{})",), "without **"),
        (("n_pendula(2)",), "did you mean 'n_pendulum'"),
        (("pendulum", "--q", "hing=1"), "there is no joint 'hing'; did you mean 'hinge'"),
        (("pendulum", "--q", "hinge=x"), "--q hinge=x: give numbers"),
        (("pendulum", "--q", "1", "--q", "hinge=2"), "give each name once"),
        (("pendulum", "--q", "hinge=1", "--q", "hinge=2"), "give each name once"),
        (("pendulum", "--q", "1,2"), "q has 2 values, the model has 1 coordinates"),
        (("pendulum", "--hold", "hing"), "there is no joint 'hing' with a speed of its own; did"),
        (("pendulum", "--y", "a=1"), "a model starts from q and qdot or p"),
    ],
)
def test_a_bad_start_is_refused_in_one_line(shell, tmp_path, arguments, message):
    code, said = shell("run", *arguments, *SHORT)
    assert code == 2 and message in said and said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_literals_are_read_and_nothing_else():
    call = parse_library_call("tree(12, joints=('revolute', 'ball'), box=true, at=[1, -2.5e-3])")
    assert call.name == "tree" and call.arguments == [12]
    assert call.options == {"joints": ("revolute", "ball"), "box": True, "at": [1, -2.5e-3]}
