"""A file that is something else than what a command takes: one line, and what to do."""

import netCDF4

import hamiltree as ht


def test_what_is_no_run_is_refused_in_one_line(shell, tmp_path):
    with netCDF4.Dataset(tmp_path / "foreign.nc", "w") as file:
        file.createDimension("x", 3)
        file.createVariable("a", "f8", ("x",))
    for words in (("info", "foreign.nc"), ("run", "--resume", "foreign.nc")):
        done = shell(*words)
        assert done.code == 2
        expected = "hamiltree: error: foreign.nc: not a readable netCDF file of hamiltree\n"
        assert done.error == expected


def test_a_study_is_no_model_and_a_model_no_study(shell, tmp_path):
    study, model = tmp_path / "study.toml", tmp_path / "model.toml"
    study.write_text('[study]\nproblem = "pendulum"\n[vary]\n"q.hinge" = [0.1]\n')
    ht.save(ht.library.pendulum(), model)
    done = shell("run", study)
    assert done.code == 2 and f"this is a study; run it with: hamiltree study {study}" in done.error
    done = shell("study", model)
    assert done.code == 2 and f"this is a model; run it with: hamiltree run {model}" in done.error
    done = shell("study", study, "-o", "found.csv")
    assert done.code == 2 and "end its name in .nc or .nc4" in done.error
    assert not list(tmp_path.glob("found*"))


def test_brackets_that_are_not_closed_are_refused(shell):
    done = shell("run", "pendulum(")
    assert done.code == 2 and "'pendulum(' is not name(arguments)" in done.error


def test_a_run_that_fails_is_not_advised_to_go_on(shell):
    shell(
        "run",
        "four_bar",
        "--until=5",
        "--step=0.05",
        "--integrator=implicit_midpoint",
        "--output=bad.nc",
    )
    told = shell("info", "bad.nc")
    assert told.code == 0 and "the last good time is t = " in told.out
    assert "--resume" not in told.out
