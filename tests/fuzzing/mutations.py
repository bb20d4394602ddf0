"""Damaged texts of good files, the same for the same seed: numbers, names, lines, tags and letters
are replaced, removed, doubled and swapped.
"""

import random
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
QUOTED = re.compile(r'"([^"\n]*)"')
WORD = re.compile(r"[A-Za-z_]\w+")
LETTERS = "abz019 .,-+*/()[]{}<>=\"'#&;\n\t\\\0é€\u2028\U0001f600"

NUMBERS = (
    *("0", "-1", "1", "2", "-0.0", "1e-9", "1e-30", "1e-300", "1e9", "1e30", "1e150", "1e300"),
    *("1e308", "-1e308", "1e400", "nan", "inf", "-inf", "9" * 25, "1" * 400, "true", "1_0", "0x1f"),
    *('"x"', "[]", "{}", "[1, 2]", "1979-05-27", "[[1]]", "3.14159", "100000", "-7.5"),
)
NAMES = (
    *("", " ", "ground", "x" * 300, "x" * 5000, "é€", "a b", "a\\nb", "a.b", "../x", "%s{0}", "0"),
    *(
        "world",
        "1e5",
        "None",
        "nan",
        "q",
        "p",
        "t",
        "\\u0007",
        "&lt;",
        "q**400",
        "1/0",
        "(-1)**0.5",
    ),
)


def mutate(text: str, dice: random.Random) -> str:
    """One to three mutations of a text; one of them is the most frequent number."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        text = dice.choice(MUTATIONS)(text, dice)
    return text


def replace_match(pattern: re.Pattern, text: str, dice: random.Random, make) -> str:
    """Replace one match of a pattern by make(its text)."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = dice.choice(found)
    return text[: match.start()] + make(match[0]) + text[match.end() :]


def change_number(text: str, dice: random.Random) -> str:
    return replace_match(NUMBER, text, dice, lambda _: dice.choice(NUMBERS))


def scale_number(text: str, dice: random.Random) -> str:
    factor = dice.choice((-1.0, 0.5, 1.0000001, 1e3, 1e-6, 1e12))
    return replace_match(NUMBER, text, dice, lambda old: repr(float(old) * factor))


def change_name(text: str, dice: random.Random) -> str:
    return replace_match(QUOTED, text, dice, lambda _: f'"{dice.choice(NAMES)}"')


def swap_name(text: str, dice: random.Random) -> str:
    """A quoted text in the place of another."""
    others = [match[0] for match in QUOTED.finditer(text)]
    return replace_match(QUOTED, text, dice, lambda _: dice.choice(others))


def change_word(text: str, dice: random.Random) -> str:
    """A word of the text in the place of another."""
    others = WORD.findall(text)
    return replace_match(WORD, text, dice, lambda _: dice.choice(others))


def misspell(text: str, dice: random.Random) -> str:
    def double(word: str) -> str:
        at = dice.randrange(len(word))
        return word[:at] + word[at] + word[at:]

    return replace_match(WORD, text, dice, double)


def change_lines(text: str, dice: random.Random) -> str:
    """Remove, double or move a line."""
    lines = text.split("\n")
    at = dice.randrange(len(lines))
    line = lines[at]
    kind = dice.randrange(3)
    if kind != 1:
        del lines[at]
    if kind:
        lines.insert(dice.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def change_letter(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(LETTERS) + text[at + dice.randrange(2) :]


def remove_passage(text: str, dice: random.Random) -> str:
    first = dice.randrange(len(text) + 1)
    return text[:first] + text[first + dice.randrange(60) :]


def cut(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text) + 1)]


MUTATIONS = (
    *(change_number,) * 5,
    *(scale_number,) * 6,
    *(change_name,) * 2,
    *(swap_name,) * 2,
    change_word,
    misspell,
    change_lines,
    change_letter,
    remove_passage,
    cut,
)
