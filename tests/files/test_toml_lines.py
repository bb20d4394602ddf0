"""The scanner that finds the line of every key: it must see what the parser sees."""

import tomllib
from pathlib import Path

import pytest

from hamiltree.errors import FileError, ModelError
from hamiltree.files import model_from_toml, model_to_toml, toml_lines
from hamiltree.files.toml_lines import line_numbers
from hamiltree.files.toml_source import TomlSource
from hamiltree.model import JOINTS, library

CRANE = (Path(__file__).parents[2] / "examples" / "crane.toml").read_text(encoding="utf-8")

TRICKY = """\
# [[body]] in a comment
'title' = "a # no comment [[body]]"   # "a comment"
"qu\\"oted" = 'C:\\path\\'
long = \"\"\"
[[body]]
x = 1 \\\"\"\" still inside
\"\"\"\"\"
raw = '''
it's = "here"
'''''
a.b . "c d" = 1
numbers = [1, 2, # ] a comment
  3, [4,
  5], { k = [6,
  7], l = 8 },
]
when = 1979-05-27 07:32:00
inline = { x = { y = 1 }, z.w = 2 }
[table.inner]
k = -1.5e3
[[body]]
name = 'one'
  [[body.visual]]
  k = 1
  [[body.visual]]
  k = 2
  [body.visual.deep]
  k = 3
[[body]]
[[body.visual]]
k = 4
quotes = [\"\"\"a\"\"\"\", "{ b =", 3]
ticks = ['''a'''', "[ c'", '']
"""


def places(data, place=()):
    """Every place in parsed data."""
    if place:
        yield place
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        yield from places(value, (*place, key))


def test_the_scanner_finds_every_place_that_the_parser_finds_and_no_other():
    for text in (
        TRICKY,
        TRICKY.replace("\n", "\r\n"),
        CRANE,
        model_to_toml(library.tree(20, joints=tuple(JOINTS))),
    ):
        assert set(line_numbers(text)) == set(places(tomllib.loads(text)))


def test_the_scanner_knows_the_lines():
    lines = line_numbers(TRICKY)
    expected = {
        ("title",): 2,
        ('qu"oted',): 3,
        ("long",): 4,
        ("raw",): 8,
        ("a",): 11,
        ("a", "b", "c d"): 11,
        ("numbers",): 12,
        ("numbers", 2): 13,
        ("numbers", 3, 1): 14,
        ("numbers", 4): 14,
        ("numbers", 4, "k", 1): 15,
        ("numbers", 4, "l"): 15,
        ("when",): 17,
        ("inline", "x", "y"): 18,
        ("inline", "z", "w"): 18,
        ("table", "inner"): 19,
        ("table", "inner", "k"): 20,
        ("body", 0): 21,
        ("body", 0, "name"): 22,
        ("body", 0, "visual", 0): 23,
        ("body", 0, "visual", 1, "k"): 26,
        ("body", 0, "visual", 1, "deep", "k"): 28,
        ("body", 1): 29,
        ("body", 1, "visual", 0, "k"): 31,
    }
    assert {place: lines[place] for place in expected} == expected


def test_lines_are_counted_through_comments_and_blank_lines():
    gap = "# a\n\n  \t# [[b]]\r\n\n"
    text = f"{gap}a = 1 # c\n{gap}[[body]]\n{gap}x = [1,\n{gap}2]\n{gap}"
    expected = {("a",): 5, ("body",): 10, ("body", 0): 10, ("body", 0, "x"): 15}
    found = line_numbers(text)
    assert {place: found[place] for place in expected} == expected
    assert found["body", 0, "x", 1] == 20


def test_many_parts_with_one_key_or_none_are_refused_with_their_line():
    for line in ("", "mass = 1.0\n"):
        text = "name = 'm'\n" + 12 * f"[[body]]\n{line}"
        with pytest.raises(FileError, match="line"):
            model_from_toml(text)


def test_the_lines_of_one_table_are_those_of_the_whole_text():
    for text in (TRICKY, TRICKY.replace("\n", "\r\n"), CRANE):
        data = tomllib.loads(text)
        source = TomlSource("m.toml", text, data)
        assert {place: source.line(place) for place in places(data)} == line_numbers(text)


@pytest.mark.parametrize("wrong", ["first", "last", "top", "kind", "value"])
def test_a_mistake_in_a_long_text_is_found_without_scanning_all_of_it(wrong, monkeypatch):
    text = model_to_toml(library.chain(300))
    text, line = {
        "first": (text.replace("mass =", "mas =", 1), 7),
        "last": (f"{text.rstrip()}\nmas = 1\n", text.rstrip().count("\n") + 2),
        "top": (f"mas = 1\n{text}", 1),
        "kind": (f"{text}[[mas]]\n", text.count("\n") + 1),
        "value": (text.replace('child = "b300"', 'child = "mas"'), text.count("\n") - 1),
    }[wrong]
    more = ".*known: 'ground', 'b1', 'b2', 'b3'" if wrong == "value" else ""
    scanned = []
    tokens_of = toml_lines.tokens_of
    monkeypatch.setattr(
        toml_lines, "tokens_of", lambda part: scanned.append(len(part)) or tokens_of(part)
    )
    with pytest.raises((FileError, ModelError), match=f"^m.toml:{line}: .*mas" + more):
        model_from_toml(text, "m.toml")
    assert 0 < sum(scanned) < 0.01 * len(text)
