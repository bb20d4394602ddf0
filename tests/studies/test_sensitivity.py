"""Sobol's indices and rank correlations against known ones, and pictures of studies."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import spearmanr

import hamiltree as ht
from hamiltree.errors import OptionError
from hamiltree.studies import Study, grid, uniform
from hamiltree.studies.sensitivity import (
    correlation,
    ranks,
    sensitivity_design,
    sobol_indices,
)

PENDULUM = ht.hamiltonian("p**2/2 - k*cos(q)", k=1.0, q={"q": 1.0}, p={"p": 0.0})
SETTINGS = {"until": 2.0, "step": 0.1, "integrator": "rk4", "progress": False}


def test_sobol_indices_of_ishigamis_function_are_those_of_its_integrals():
    """f = sin a + 7 sin² b + 0.1 c⁴ sin a: first indices V_i/V by integration (Ishigami, Homma
    1990).
    """
    bounds = uniform(-np.pi, np.pi)
    design = sensitivity_design({"a": bounds, "b": bounds, "c": bounds}, 8192, 3)
    a, b, c = design.columns.values()
    values = np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)
    found = sobol_indices(xr.Dataset({"f": ("member", values)}), ["a", "b", "c"], "f")
    by_a = 0.5 * (1.0 + 0.1 * np.pi**4 / 5.0) ** 2
    by_b, by_ac = 49.0 / 8.0, 0.01 * np.pi**8 * (1 / 18 - 1 / 50)
    whole = by_a + by_b + by_ac
    first, total = np.array(list(found.values())).T
    assert np.allclose(first, np.array([by_a, by_b, 0.0]) / whole, atol=0.01)
    assert np.allclose(total, np.array([by_a + by_ac, by_b, by_ac]) / whole, atol=0.01)


def test_rank_correlations_are_those_of_another_implementation():
    stream = np.random.default_rng(1)
    x = stream.normal(size=200).round(1)  # with ties
    y = x**3 + stream.normal(size=200)
    assert np.isclose(correlation(ranks(x), ranks(y)), spearmanr(x, y).statistic, rtol=1e-13)


def test_a_study_says_what_its_result_depends_on():
    vary = {"k": uniform(0.9, 1.1), "q.q": uniform(0.1, 1.0)}
    found = ht.study(
        PENDULUM, vary, members=64, sampler="sensitivity", keep={"swing": "max(q*1)"}, **SETTINGS
    )
    assert found.data.sizes["member"] == 64 * 4
    indices = found.sobol_indices("swing")  # the swing is where it starts
    assert indices["q.q"][0] > 0.99 and abs(indices["k"][1]) < 0.01
    correlations = found.rank_correlations("swing")
    assert np.isclose(correlations["q.q"], 1.0, rtol=1e-12) and abs(correlations["k"]) < 0.2


def test_indices_without_their_design_are_refused():
    found = ht.study(PENDULUM, {"k": grid(1, 2, 3)}, keep={"swing": "max(q*1)"}, **SETTINGS)
    with pytest.raises(OptionError, match="sampler='sensitivity'"):
        found.sobol_indices("swing")
    with pytest.raises(OptionError, match="at least 8"):
        found.rank_correlations("swing")
    with pytest.raises(OptionError, match="no variable 'swin'"):
        found.rank_correlations("swin")
    with pytest.raises(OptionError, match="'k' is listed"):
        ht.study(PENDULUM, {"k": [1.0, 2.0]}, members=8, sampler="sensitivity", **SETTINGS)


# ---- pictures ------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def swept() -> Study:
    keep = {"samples": "samples", "swing": "max(q*1)"}
    vary = {"k": grid(1, 2, 3), "q.q": grid(0.1, 1.0, 4)}
    return ht.study(PENDULUM, vary, keep=keep, save_every=1, **SETTINGS)


def test_a_heat_map_shows_every_member_in_its_place(swept):
    (mesh,) = swept.plot.heat_map("swing").axes[0].collections
    shown = np.asarray(mesh.get_array()).reshape(3, 4)
    assert np.array_equal(shown.ravel(), swept.data["swing"].values)


def test_a_heat_map_sorts_what_was_listed_in_another_order():
    vary = {"k": [2.0, 1.0], "q.q": [0.3, 0.1, 0.2]}
    found = ht.study(PENDULUM, vary, keep={"swing": "max(q*1)"}, **SETTINGS)
    (mesh,) = found.plot.heat_map("swing").axes[0].collections
    values = found.data["swing"].values.reshape(2, 3)
    assert np.array_equal(np.asarray(mesh.get_array()), values[::-1, [1, 2, 0]])


def test_a_response_and_a_histogram_show_all_members(swept):
    (line,) = swept.plot.response("swing", "q.q").axes[0].lines
    assert np.array_equal(line.get_xdata(), swept.data["q.q"].values)
    assert np.array_equal(line.get_ydata(), swept.data["swing"].values)
    bars = swept.plot.histogram("swing", bins=5).axes[0].patches
    assert sum(bar.get_height() for bar in bars) == 12


def test_a_histogram_is_drawn_into_axes_with_a_logarithmic_scale(swept):
    axes = swept.plot.histogram("swing", bins=5).axes[0]
    axes.set_yscale("log")
    assert swept.plot.histogram("swing", bins=5, axes=axes) is axes.figure
    assert axes.get_yscale() == "log" and len(axes.patches) == 10


def test_a_fan_has_the_median_and_parallel_coordinates_a_line_for_each_member(swept):
    lines = swept.plot.fan("q").axes[0].lines
    assert len(lines) == 13
    assert np.allclose(lines[-1].get_ydata(), np.median(swept.data["q"].values[:, :, 0], axis=0))
    lines = swept.plot.parallel("swing").axes[0].lines
    assert len(lines) == 12
    assert all(line.get_ydata().min() >= 0 and line.get_ydata().max() <= 1 for line in lines)


def test_lines_of_some_members_are_spread_as_all_are():
    """Every second point of Sobol's sequence is in one half of the first number."""
    vary = {"q.q": uniform(0.0, 1.0), "k": uniform(1.0, 2.0)}
    settings = {**SETTINGS, "until": 0.1, "members": 800, "sampler": "sobol"}
    found = ht.study(PENDULUM, vary, keep=["samples", "end(q*1)"], **settings)
    axes = found.plot.parallel("end(q*1)").axes[0]
    first = [line.get_ydata()[0] for line in axes.lines]
    assert len(first) == 400 and 0.4 < np.mean(first) < 0.6
    assert axes.get_xticklabels()[0].get_text().startswith("q.q\n")
    starts = [line.get_ydata()[0] for line in found.plot.fan("q").axes[0].lines[:-1]]
    assert len(starts) == 60 and 0.4 < np.mean(starts) < 0.6


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("response", ("swing",), "name the number to draw it over"),
        ("response", ("swing", "kk"), "'kk' does not vary; did you mean 'k'"),
        ("response", ("sing", "k"), "no variable 'sing'; did you mean 'swing'"),
        ("histogram", ("q",), "no single number"),
        ("fan", ("swing",), "keep 'samples'"),
        ("fan", ("q", "z"), "no part 'z'"),
    ],
)
def test_pictures_that_cannot_be_drawn_are_refused(swept, name, arguments, words):
    with pytest.raises(OptionError, match=words):
        getattr(swept.plot, name)(*arguments)
