"""A reader of what `ht.kane.partials` prints for vectors and for the whole system: sums of products
of symbols, computed with the numbers of the symbols.
"""

import re

import numpy as np

OPEN, CLOSE = "[{(", "]})"


def read_lines(text):
    """(left side, right side) of every equality; further terms of a sum stand on lines of their
    own.
    """
    for statement in re.split(r"\n(?=[\[{])", text):
        left, *rights = re.split(r"\s=\s", statement)
        for right in rights:
            yield left.strip(), " ".join(right.split())


class SumReader:
    """Reads a ± b ± …; a subclass reads products, from the place `at` of the text on."""

    text, at = "", 0

    def take(self, mark):
        taken = self.text.startswith(mark, self.at)
        self.at += len(mark) * taken
        return taken

    def sum(self, *given):
        total = -self.product(*given) if self.take("−") else self.product(*given)
        while True:
            if self.take(" + "):
                total = total + self.product(*given)
            elif self.take(" − "):
                total = total - self.product(*given)
            else:
                return total


class VectorReader(SumReader):
    """Numbers of an expression; `symbols` gives those of every bracket and of every name in one."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.loose = sorted((name for name in symbols if name[0] not in OPEN), key=len)[::-1]

    def read(self, text):
        self.text, self.at = text, 0
        found = self.sum()
        assert self.at == len(text), text[self.at :]
        return found

    def product(self):
        found = np.array(1.0)
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in " )":
            factor = self.factor()
            found = found @ factor if found.ndim and np.ndim(factor) else found * factor
        assert self.at > start, self.text[start:]
        return found

    def factor(self):
        if self.take("("):
            found = self.sum()
            assert self.take(")")
        elif self.text[self.at] in "[{":
            found = self.bracket()
        else:
            name = next(name for name in self.loose if self.text.startswith(name, self.at))
            self.at += len(name)
            found = self.symbols[name]
        return np.asarray(found).T if self.take("ᵀ") else np.asarray(found)

    def bracket(self):
        """[name], {name}, or a sum of names in one bracket; {0} is nothing."""
        end, depth = self.at, 0
        while True:
            letter = self.text[end]
            depth += (letter in OPEN) - (letter in CLOSE)
            end += 1
            if depth == 0:
                break
        whole = self.text[self.at : end]
        self.at = end
        if whole == "{0}":
            return np.zeros(3)
        if whole + "ᵀ" in self.symbols and self.text.startswith("ᵀ", end):
            return np.asarray(self.symbols[whole + "ᵀ"]).T
        if whole in self.symbols:
            return self.symbols[whole]
        parts = whole[1:-1].split(" + ")
        assert len(parts) > 1, f"unknown: {whole}"
        return sum(self.symbols[whole[0] + part + whole[-1]] for part in parts)
