"""The pages of docs/documents: their code runs, and every row of the audit leads somewhere."""

import ast
import functools
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

import hamiltree as ht
from hamiltree.cli.app import app
from hamiltree.gallery import DOCUMENTS, EXPERIMENTS, experiments_of

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "documents"
STATUSES = ("implemented", "explained")
COLUMNS = "item", "where", "what", "status", "call", "test", "remark"


# ---- pages ---------------------------------------------------------------------------------------
def python_blocks(page):
    """Python blocks of a page with the line at which each begins."""
    text = (PAGES / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M):
        yield text[: match.start(1)].count("\n"), match[1]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_code_of_a_document_page_runs(name, tmp_path, monkeypatch):
    """All blocks of a page in one namespace, from the top down."""
    monkeypatch.chdir(tmp_path)
    blocks = list(python_blocks(f"{name}.md"))
    assert blocks
    namespace = {"__name__": "page"}
    for line, block in blocks:
        exec(compile("\n" * line + block, f"{name}.md", "exec"), namespace)
    plt.close("all")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_page_names_its_title_and_every_experiment_that_redraws_its_figures(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert DOCUMENTS[name].title in text
    assert f"hamiltree gallery --document {name}" in text
    assert experiments_of(name)
    for experiment in experiments_of(name):
        assert f"`{experiment.name}`" in text, experiment.name


def test_every_experiment_of_a_document_has_a_page():
    of_documents = {experiment.document for experiment in EXPERIMENTS.values()} - {""}
    assert of_documents == set(DOCUMENTS)


# ---- the audit -----------------------------------------------------------------------------------
@functools.cache
def audit():
    """Rows of the audit by their numbers."""
    text = (PAGES / "audit.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if re.match(r"\| \d{3}-\d+ \|", line)
    ]
    assert all(len(row) == len(COLUMNS) for row in rows)
    return {row[0]: dict(zip(COLUMNS, row, strict=True)) for row in rows}


def rows_of(document):
    return [row for item, row in audit().items() if item.startswith(document.prefix)]


def resolve(name):
    """The object that a dotted name such as ht.influence or run.reactions means."""
    first, *rest = name.split(".")
    found = {"ht": ht, "run": ht.Trajectory, "model": ht.Model}[first]
    for part in rest:
        found = getattr(found, part)
    return found


def calls_of(row):
    """Backticked calls of a row: dotted names, and commands of the shell."""
    return re.findall(r"`([^`]+)`", row["call"])


@functools.cache
def names_of_tests(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_rows_of_the_audit_are_numbered_without_gaps():
    for document in DOCUMENTS.values():
        numbers = [int(row["item"].split("-")[1]) for row in rows_of(document)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_row_is_implemented_or_explained():
    for item, row in audit().items():
        assert row["status"] in STATUSES, item
        assert row["status"] == "implemented" or row["remark"], item
        assert row["status"] == "explained" or row["test"], item
        assert row["call"] or row["remark"], item


def test_every_call_of_the_audit_exists():
    """Names are resolved on the package; `hamiltree …` is looked up among the commands."""

    @functools.cache
    def help_of(command):
        shown = CliRunner().invoke(app, [command, "--help"])
        assert shown.exit_code == 0, command
        return shown.output

    for item, row in audit().items():
        for call in calls_of(row):
            if call.startswith("hamiltree "):
                _, command, *words = shlex.split(call)
                options = [word for word in words if word.startswith("--")]
                text = help_of(command)
                assert all(option in text for option in options), (item, call)
                if command == "gallery" and words and not options:
                    assert words[0] in EXPERIMENTS, (item, call)
            elif re.match(r"(ht|run|model)\.", call):
                resolve(re.match(r"[\w.]+", call)[0])


def test_every_test_of_the_audit_exists():
    for item, row in audit().items():
        for test in re.findall(r"`([^`]+)`", row["test"]):
            path, _, name = test.partition("::")
            assert name in names_of_tests(f"tests/{path}"), (item, test)


def test_the_audit_counts_its_rows():
    text = (PAGES / "audit.md").read_text(encoding="utf-8")
    for document in DOCUMENTS.values():
        rows = rows_of(document)
        counts = [len(rows), *(sum(row["status"] == one for row in rows) for one in STATUSES)]
        line = "| " + " | ".join([document.prefix, *map(str, counts)]) + " |"
        assert line in text, line
