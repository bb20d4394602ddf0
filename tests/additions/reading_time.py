"""How long it takes to read what an author of a formulation must read.

    python -m tests.additions.reading_time

The table at the head of CONTRIBUTING.md says which sections these are. A minute is 220 words; a
line of code, of a diagram or of a command counts as eight.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS_A_MINUTE, WORDS_A_LINE = 220, 8
MAX_MINUTES = 20.0
# page → headings of the sections, in the order in which they are read; "" is what stands before
# the first heading
PATH = {
    "docs/architecture.md": ("", "The path of one run", "Packages", "A formulation"),
    "CONTRIBUTING.md": ("", "A new formulation", "Kernels", "Tests"),
}
FENCE = re.compile(r"^```.*?\n(.*?)^```", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^    \S.*\n", re.MULTILINE)
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
WORD = re.compile(r"[\w∂Σ½ẏ]")


def sections_of(page: str) -> dict[str, str]:
    """Heading → text below it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    head, *others = re.split(r"^## ", text, flags=re.MULTILINE)
    return {"": head} | dict(other.split("\n", 1) for other in others)


def count_words(text: str) -> tuple[int, int]:
    """Words of the text, and lines of code in it."""
    code = "".join(found[1] for found in FENCE.finditer(text))
    prose = FENCE.sub("", text)
    code += "".join(INDENTED.findall(prose))
    prose = LINK.sub(r"\1", INDENTED.sub("", prose))
    lines = [line for line in code.splitlines() if line.strip()]
    return sum(bool(WORD.search(word)) for word in prose.split()), len(lines)


def minutes_of(words: int, lines: int) -> float:
    return (words + WORDS_A_LINE * lines) / WORDS_A_MINUTE


def reading_time() -> float:
    """Of the whole path, in minutes."""
    found = [count_words(sections_of(page)[title]) for page in PATH for title in PATH[page]]
    return sum(minutes_of(words, lines) for words, lines in found)


def main() -> None:
    for page, titles in PATH.items():
        for title in titles:
            words, lines = count_words(sections_of(page)[title])
            name = f"{page}: {title or 'the beginning'}"
            print(f"{minutes_of(words, lines):5.1f} min  {words:5} words {lines:4} lines  {name}")
    print(f"{reading_time():5.1f} min  in all; at most {MAX_MINUTES:g}")


if __name__ == "__main__":
    main()
