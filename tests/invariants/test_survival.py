"""Runs that are broken off at a checkpoint and resumed have the bits of unbroken ones, in every
family of equations and methods; what cannot be resumed is refused by name.
"""

import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.files.durable import pack
from hamiltree.run import loop, survival
from hamiltree.trajectory.journal import Journal, journal_path
from hamiltree.trajectory.parts import checkpoint_paths
from tests.machinery.killed_runs import differences

KEPLER = "(px**2 + py**2)/2 - 1/sqrt(x**2 + y**2)"


def kepler():
    return ht.hamiltonian(KEPLER, {"x": 0.4, "y": 0.0}, {"px": 0.0, "py": 2.0})


def oscillator():
    rates = {"x": "v", "v": "mu*(1 - x**2)*v - x"}
    return ht.ode(rates, {"x": 2.0, "v": 0.0}, invariants={"E": "x**2 + v**2"}, mu=5.0)


def driven_pendulum():
    made = ht.library.n_pendulum(2, angles=[1.0, -0.5])
    return made.with_(forces=[ht.JointInput(made.joints[0].name, name="motor")])


FOUR_BAR, CHAIN = ht.library.four_bar, lambda: ht.library.chain(3)
# name → problem, until, step, further arguments
FAMILIES = {
    "gauss8, a shorter last step": (CHAIN, 0.3007, 2e-3, {}),
    "rk4, every third step": (CHAIN, 0.3, 2e-3, {"integrator": "rk4", "save_every": 3}),
    "Newton's method": (CHAIN, 1.5, 1e-2, {"solver": "newton"}),
    "dop853": (CHAIN, 2.0, 1e-2, {"integrator": "dop853"}),
    "kane_relative": (CHAIN, 0.3, 2e-3, {"formulation": "kane_relative"}),
    "spark6": (FOUR_BAR, 0.3, 2e-3, {}),
    "rattle": (FOUR_BAR, 0.3, 2e-3, {"integrator": "rattle"}),
    "cartesian_1": (FOUR_BAR, 0.3, 2e-3, {"formulation": "cartesian_1"}),
    "cartesian_2": (FOUR_BAR, 0.3, 2e-3, {"formulation": "cartesian_2", "integrator": "rk4"}),
    "cartesian_3": (FOUR_BAR, 0.6, 2e-3, {"formulation": "cartesian_3"}),
    "kane_absolute": (FOUR_BAR, 0.8, 2e-3, {"formulation": "kane_absolute"}),
    "a singular position": (ht.library.double_four_bar, 0.8, 4e-3, {}),
    "inputs": (driven_pendulum, 0.3, 2e-3, {"inputs": {"motor": 3.0}}),
    "a start of its own": (CHAIN, 0.3, 2e-3, {"t": 0.1, "qdot": {"j2": 0.7}}),
    "bodies in flight": (lambda: ht.library.satellite(2, 1), 0.2, 2e-3, {}),
    "neighbour lists": (lambda: ht.library.particle_box(2), 0.2, 2e-3, {"integrator": "rk4"}),
    "splitting": (kepler, 6.0, 2e-2, {"integrator": "blanes_moan6", "sections": ["y", "x*px"]}),
    "events of dense output": (kepler, 9.0, 5e-2, {"integrator": "dop853", "sections": ["y"]}),
    "reversible steps": (kepler, 9.0, 5e-2, {"integrator": "reversible(stormer_verlet)"}),
    "radau5": (oscillator, 20.0, 0.1, {"integrator": "radau5"}),
    "an ode by rk4": (oscillator, 3.0, 1e-2, {"integrator": "rk4"}),
}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """A checkpoint after every chunk of 37 steps, whatever it costs."""
    monkeypatch.setattr(loop, "next_chunk", lambda done, spent: 37)
    monkeypatch.setattr(survival, "MOST_TIME", np.inf)
    monkeypatch.setattr(survival, "write_durably", lambda path, content: path.write_bytes(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ht.AccuracyWarning)
        yield


@pytest.fixture
def broken_off(tmp_path, monkeypatch):
    """broken_off(problem, …): a run, and copies of its files as they were at every checkpoint."""

    def made(problem, *arguments, **options):
        copies = []
        write = survival.Survival.write

        def write_and_copy(self, is_durable=True):
            write(self, is_durable)
            copies.append(tmp_path / f"copy{len(copies)}")
            shutil.copytree(tmp_path / "own", copies[-1])

        (tmp_path / "own").mkdir()
        monkeypatch.setattr(survival.Survival, "write", write_and_copy)
        path = tmp_path / "own" / "run.nc"
        options = {"output": path, "checkpoint": 0, "progress": False, **options}
        run = ht.simulate(problem, *arguments, **options)
        monkeypatch.setattr(survival.Survival, "write", write)
        return run, [copy / "run.nc" for copy in copies]

    return made


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- bits ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("family", FAMILIES)
def test_a_resumed_run_has_the_bits_of_an_unbroken_one(broken_off, family):
    make, until, step, options = FAMILIES[family]
    problem = make()
    unbroken = ht.simulate(problem, until, step, progress=False, **options)
    whole, copies = broken_off(problem, until, step, **options)
    assert not differences(whole, unbroken)
    assert len(copies) > 2
    for path in (copies[1], copies[-1]):
        resumed = ht.resume(path, progress=False)
        assert not differences(resumed, unbroken)
        assert names_in(path.parent) == ["run.nc"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_complete_run_that_goes_on_has_the_bits_of_a_longer_one(tmp_path, family):
    make, until, step, options = FAMILIES[family]
    problem, path = make(), tmp_path / "run.nc"
    first = ht.simulate(problem, until, step, output=path, progress=False, **options)
    every = first.provenance["save_every"]
    later = 1.37 * until
    longer = ht.simulate(problem, later, step, progress=False, **{**options, "save_every": every})
    resumed = ht.resume(path, until=later, progress=False)
    assert not differences(resumed, longer)
    assert json.loads(resumed.provenance["resumed"])[0]["at"] <= until


def test_a_run_may_be_resumed_again_and_again(tmp_path):
    path = tmp_path / "run.nc"
    ht.simulate(CHAIN(), 0.1, 2e-3, output=path, save_every=1, progress=False)
    for until in (0.2, 0.2503, 0.4):
        found = ht.resume(path, until=until, progress=False)
    unbroken = ht.simulate(CHAIN(), 0.4, 2e-3, save_every=1, progress=False)
    assert not differences(found, unbroken)
    assert len(json.loads(found.provenance["resumed"])) == 3


# ---- several files -------------------------------------------------------------------------------
def test_a_run_in_several_files_is_read_as_one(tmp_path):
    path = tmp_path / "run.nc"
    options = {"save_every": 1, "progress": False, "sections": ["y"], "integrator": "rk4"}
    unbroken = ht.simulate(kepler(), 6.0, 2e-2, **options)
    ht.simulate(kepler(), 6.0, 2e-2, output=path, split=100, **options)
    names = ["run.0001.nc", "run.0002.nc", "run.0003.nc", "run.nc"]
    assert names_in(tmp_path) == names
    files = [path, *(tmp_path / name for name in names[:3])]
    for source in (path, files, str(tmp_path / "run*.nc")):
        joined = ht.Trajectory.load(source)
        assert not differences(joined, unbroken)
        np.testing.assert_array_equal(joined.q[95:105, 0].values, unbroken.q[95:105, 0].values)
        np.testing.assert_array_equal(joined.q[-1].values, unbroken.q[-1].values)
        rows = [250, 3, 120]
        np.testing.assert_array_equal(joined.q[rows].values, unbroken.q[rows].values)
    assert len(ht.Trajectory.load(files[1]).t) == 100
    with pytest.raises(ht.FileError, match="begins before the file before it ends"):
        ht.Trajectory.load(files[::-1])
    assert isinstance(ht.load(path), ht.Trajectory)


def test_a_run_in_several_files_is_resumed_and_overwritten_as_one(broken_off):
    unbroken = ht.simulate(CHAIN(), 0.3, 2e-3, save_every=1, progress=False)
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1, split=50)
    for path in copies[1:]:
        assert not differences(ht.resume(path, progress=False), unbroken)
        assert names_in(path.parent) == ["run.0001.nc", "run.0002.nc", "run.0003.nc", "run.nc"]
    ht.simulate(CHAIN(), 0.02, 2e-3, output=copies[-1], force=True, progress=False)
    assert names_in(copies[-1].parent) == ["run.nc"]


def test_files_of_different_runs_are_not_joined(tmp_path):
    for name in ("a.nc", "b.nc"):
        ht.simulate(CHAIN(), 0.02, 2e-3, output=tmp_path / name, progress=False)
    with pytest.raises(ht.FileError, match=r"b\.nc is not of the same run as .*a\.nc"):
        ht.Trajectory.load(str(tmp_path / "*.nc"))


# ---- damage --------------------------------------------------------------------------------------
def test_a_torn_checkpoint_falls_back_to_the_one_before(broken_off):
    unbroken, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    for damage in (
        lambda content: content[:-9],
        lambda content: content[:99] + b"x" + content[100:],
    ):
        path = shutil.copytree(copies[3].parent, copies[3].parent.with_name(f"torn{id(damage)}"))
        newest, _ = checkpoint_paths(path / "run.nc")
        newest.write_bytes(damage(newest.read_bytes()))
        assert not differences(ht.resume(path / "run.nc", progress=False), unbroken)


def test_without_a_whole_checkpoint_there_is_no_resuming(broken_off):
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    for each in checkpoint_paths(copies[3]):
        each.write_bytes(each.read_bytes()[:-1])
    with pytest.raises(ht.FileError, match=r"has no checkpoint \(.*is torn.*\); run it again"):
        ht.resume(copies[3], progress=False)


def test_a_damaged_netcdf_file_is_read_and_made_again_from_its_journal(broken_off):
    unbroken, copies = broken_off(kepler(), 6.0, 2e-2, integrator="rk4", sections=["y"])
    path = copies[4]
    path.write_bytes(b"nothing of a netCDF file is left")
    left = ht.Trajectory.load(path)
    count, crossings = len(left.t), left.sections["y"].sizes["point"]
    assert left.status == "running" and count > 100 and crossings > 0
    np.testing.assert_array_equal(left.q.values, unbroken.q.values[:count])
    assert not differences(ht.resume(path, progress=False), unbroken)


def test_a_torn_journal_is_read_up_to_where_it_is_torn(broken_off):
    unbroken, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    path = copies[3]
    journal = journal_path(path)
    with open(journal, "ab") as file:
        file.write(journal.read_bytes()[-300:])
    assert len(ht.Trajectory.load(path).t) == 17 + 2 * 37
    assert not differences(ht.resume(path, progress=False), unbroken)


def test_a_file_that_lacks_samples_of_its_checkpoint_is_refused(broken_off):
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    shutil.copy(journal_path(copies[1]), journal_path(copies[3]))
    shutil.copy(checkpoint_paths(copies[3])[0], checkpoint_paths(copies[3])[1])
    with pytest.raises(ht.FileError, match="holds fewer samples than its checkpoint says"):
        ht.resume(copies[3], progress=False)


# ---- what is refused, and what is said -----------------------------------------------------------
def friction(t, x, out):
    out[0] = -0.1 * x[1]


def other_friction(t, x, out):
    out[0] = -0.2 * x[1]


def rubbed(law):
    made = ht.library.n_pendulum(2, angles=[1.0, -0.5])
    return made.with_(forces=[ht.JointLaw(made.joints[0].name, law)])


def test_a_model_with_python_functions_is_given_again_and_checked(tmp_path):
    path = tmp_path / "run.nc"
    ht.simulate(rubbed(friction), 0.1, 1e-2, output=path, save_every=1, progress=False)
    with pytest.raises(ht.FileError, match="holds Python functions, which no file can hold"):
        ht.resume(path, until=0.2, progress=False)
    for other in (rubbed(other_friction), CHAIN()):
        with pytest.raises(ht.OptionError, match="a number, a name or a function differs"):
            ht.resume(path, until=0.2, model=other, progress=False)
    resumed = ht.resume(path, until=0.2, model=rubbed(friction), progress=False)
    unbroken = ht.simulate(rubbed(friction), 0.2, 1e-2, save_every=1, progress=False)
    assert not differences(resumed, unbroken)


def test_what_cannot_go_on_is_refused_by_name(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(ht.FileError, match=r"run\.nc: no such file"):
        ht.resume(path)
    run = ht.simulate(CHAIN(), 0.1, 1e-2, output=path, progress=False)
    with pytest.raises(ht.FileError, match=r"has come to t = 0\.1 \(complete\); give a later end"):
        ht.resume(path)
    with pytest.raises(ht.FileError, match=r"give a later"):
        ht.resume(path, until=0.1)
    with pytest.raises(ht.FileError, match=r"give a later end"):
        ht.resume(path, until=0.05)
    with pytest.raises(ht.OptionError, match="until = 'soon'"):
        ht.resume(path, until="soon")
    with pytest.raises(ht.OptionError, match="model = 3; give the Model"):
        ht.resume(path, until=0.2, model=3)
    run.save(tmp_path / "saved.nc")
    with pytest.raises(ht.FileError, match=r"saved\.nc has no checkpoint; run it again"):
        ht.resume(tmp_path / "saved.nc", until=1.0)
    (tmp_path / "text.nc").write_text("no run")
    with pytest.raises(ht.FileError, match=r"text\.nc: not a readable netCDF file of hamiltree"):
        ht.resume(tmp_path / "text.nc")


def test_a_run_that_an_event_has_ended_does_not_go_on(tmp_path):
    path, event = tmp_path / "run.nc", ht.Event("y", direction=-1, terminal=True)
    run = ht.simulate(kepler(), 9.0, 1e-2, events=[event], output=path, progress=False)
    assert run.status.startswith("ended by event")
    with pytest.raises(ht.FileError, match="this run has ended by event 'y'"):
        ht.resume(path, until=20.0)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"checkpoint": -1}, "checkpoint = -1; give seconds from one checkpoint to the next"),
        ({"checkpoint": "often"}, "checkpoint = 'often'; give seconds"),
        ({"split": 1}, "split = 1; a file holds at least 2 samples"),
        ({"split": "big"}, "split = 'big'; give samples per file, or a size: 500MB, 2GB"),
        ({"split": 2.5}, "split = 2.5; give samples per file, or a size"),
    ],
)
def test_options_of_survival_are_checked(tmp_path, option, message):
    with pytest.raises(ht.OptionError, match=message):
        ht.simulate(CHAIN(), 0.1, output=tmp_path / "run.nc", progress=False, **option)
    assert not names_in(tmp_path)


def test_another_machine_or_version_is_said(broken_off):
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    newest, before = checkpoint_paths(copies[3])
    before.unlink()
    header, arrays = survival_header(newest)
    header["code"]["machine"] = "Linux riscv64, k1"
    newest.write_bytes(pack(survival.MAGIC, header, arrays))
    with pytest.warns(ht.AccuracyWarning, match="machine Linux riscv64, k1 there, .* here"):
        ht.resume(copies[3], progress=False)


def survival_header(path):
    from hamiltree.files.durable import unpack

    return unpack(survival.MAGIC, path.read_bytes(), str(path))


def test_a_checkpoint_of_other_shapes_is_refused(broken_off):
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    newest, before = checkpoint_paths(copies[3])
    before.unlink()
    header, arrays = survival_header(newest)
    arrays[0] = np.append(arrays[0], 1.0)
    newest.write_bytes(pack(survival.MAGIC, header, arrays))
    with pytest.raises(ht.FileError, match="does not fit this version of hamiltree: its state"):
        ht.resume(copies[3], progress=False)


def test_two_processes_do_not_write_one_run(broken_off):
    _, copies = broken_off(CHAIN(), 0.3, 2e-3, save_every=1)
    writer = Journal.reopen(journal_path(copies[2]))
    with pytest.raises(ht.FileError, match="another process is writing this run"):
        ht.resume(copies[2], progress=False)
    writer.close()
    ht.resume(copies[2], progress=False)


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "survival.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    assert len(blocks) == 1
    exec(blocks[0], {})


def test_what_is_left_of_a_run_is_not_overwritten_unless_forced(tmp_path):
    path = tmp_path / "run.nc"
    ht.simulate(ht.library.chain(2), 0.05, progress=False, output=path, split=10)
    assert (tmp_path / "run.0001.nc").exists()
    path.unlink()
    with pytest.raises(ht.FileError, match=r"run\.0001\.nc exists, of another run of this name"):
        ht.simulate(ht.library.chain(2), 0.05, progress=False, output=path)
    assert (tmp_path / "run.0001.nc").exists() and not path.exists()
    made = ht.simulate(ht.library.chain(2), 0.05, progress=False, output=path, force=True)
    assert made.t.size == 51


def test_a_run_in_several_files_is_read_whole_through_a_link(tmp_path):
    ht.simulate(ht.library.chain(2), 0.05, progress=False, output=tmp_path / "run.nc", split=10)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.nc"
    link.symlink_to(tmp_path / "run.nc")
    assert ht.Trajectory.load(link).t.size == 51


def test_a_tail_of_zeros_in_a_journal_is_no_record(tmp_path):
    from hamiltree.trajectory.journal import Journal, JournalReader, Rows
    from hamiltree.trajectory.variables import Schema

    schema = Schema(None, {"t": (("t",), "s")}, {})
    journal = Journal(tmp_path / "x.journal", schema, {})
    journal.write(Rows(-1, 2, {"t": np.array([0.0, 1.0])}))
    journal.file.write(bytes(400))
    journal.close()
    assert JournalReader(tmp_path / "x.journal").samples == 2
