"""Attributes that upper layers give to a Model or a Trajectory."""

import subprocess
import sys

from hamiltree.model.accessors import Accessor


class Owner(list):
    highest = Accessor("builtins:max")


def test_an_accessor_hands_its_owner_to_the_tool():
    assert Owner([3, 7]).highest == 7 and Owner([8]).highest == 8


def test_an_accessor_of_the_class_is_the_tool():
    assert Owner.highest is max


def test_the_class_of_a_trajectory_loads_no_plots_before_they_are_asked_for():
    code = (
        "import sys; from hamiltree.trajectory.trajectory import Trajectory; "
        "assert 'hamiltree.view.plots' not in sys.modules; Trajectory.plot; "
        "assert 'hamiltree.view.plots' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
