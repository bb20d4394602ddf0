"""The figure and the table of docs/formulations.md: time of one evaluation against the number of
bodies. Takes some minutes.

python -m docs.figures.formulations
"""

from pathlib import Path

import matplotlib.pyplot as plt

from benchmarks.formulations import exponent, seconds_by_size

COLOURS = {"hamiltonian": "#1f2a44", "cartesian": "#c8553d", "kane": "#2a7f62"}
STYLES = ("-", "--", ":", "-.")
MARKS = "osv^"


def main() -> None:
    found = seconds_by_size()
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    drawn: dict[str, int] = dict.fromkeys(COLOURS, 0)
    for name, seconds in found.items():
        family = name.split("_")[0]
        k, drawn[family] = drawn[family], drawn[family] + 1
        sizes = list(seconds)
        axes.loglog(
            sizes,
            [1e6 * seconds[n] for n in sizes],
            STYLES[k],
            color=COLOURS[family],
            marker=MARKS[k],
            ms=4,
            lw=1.4,
            label=name,
        )
    for power, text, sizes, factor in (
        (1, "N", (150.0, 900.0), 3.0),
        (3, "N³", (45.0, 130.0), 0.003),
    ):
        axes.loglog(sizes, [factor * n**power for n in sizes], color="grey", lw=0.8)
        axes.annotate(
            text, (1.06 * sizes[1], factor * sizes[1] ** power), color="grey", va="center"
        )
    axes.set_xlabel("bodies N of a chain of hinges")
    axes.set_ylabel("one evaluation of all accelerations / µs")
    axes.grid(alpha=0.3, which="major")
    axes.legend(frameon=False, ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=120)
    print(table(found))


def table(found: dict[str, dict[int, float]]) -> str:
    """In Markdown."""
    shown = (1, 10, 100, 1000)
    lines = [
        "| formulation | " + " | ".join(f"N = {n}" for n in shown) + " | grows as |",
        "|---" * (len(shown) + 2) + "|",
    ]
    for name, seconds in found.items():
        cells = (f"{1e6 * seconds[n]:.3g} µs" if n in seconds else "" for n in shown)
        lines.append(f"| `{name}` | {' | '.join(cells)} | N^{exponent(seconds):.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
