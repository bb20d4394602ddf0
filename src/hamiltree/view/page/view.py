"""`run.view()` and `model.view()`: the page of a run or a model, written to a file or opened."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hamiltree.console import tell
from hamiltree.errors import OptionError
from hamiltree.model.model import Model
from hamiltree.view.page.document import MAX_BYTES, Document, model_document, run_document
from hamiltree.view.page.html import render

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

LEAST_BYTES = 1_100_000  # the page itself and some room


class Page:
    """A page that can be saved and opened; `html` is its text."""

    def __init__(
        self,
        source: Trajectory | Model,
        reactions: bool = False,
        max_megabytes: float | None = None,
    ):
        """Of a run or a model; reactions and a largest size are of runs alone."""
        if isinstance(source, Model):
            refuse_options_of_runs(reactions, max_megabytes)
        self.source = source
        self.reactions = reactions
        self.max_bytes = MAX_BYTES if max_megabytes is None else check_size(max_megabytes)
        self.path: Path | None = None

    @cached_property
    def document(self) -> Document:
        """All that is shown, and the block of arrays in base64."""
        if isinstance(self.source, Model):
            return model_document(self.source)
        own = len(render({"title": ""}, "").encode("utf-8"))
        return run_document(self.source, self.reactions, self.max_bytes - own)

    @property
    def html(self) -> str:
        return render(*self.document)

    def save(self, path: str | os.PathLike, force: bool = False) -> Path:
        """Write the file, whole or not at all; an existing one is kept unless forced."""
        from hamiltree.files.safe_write import write_text
        from hamiltree.trajectory.netcdf import writable_path

        target = writable_path(path, force)
        if target.suffix.lower() not in (".html", ".htm"):
            raise OptionError(f"{target}: a page ends in .html")
        write_text(target, self.html, force)
        self.path = target
        return target

    def open(self) -> bool:
        """Show the page in the browser; False where there is no display."""
        if self.path is None:
            folder = tempfile.mkdtemp(prefix="hamiltree-")
            self.save(Path(folder) / "page.html")
        assert self.path is not None
        return has_display() and webbrowser.open(self.path.resolve().as_uri())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """In a notebook the page in a frame."""
        if not in_notebook():
            return {"text/plain": repr(self)}
        from hamiltree.view.notebook.display import frame_of

        return {"text/plain": repr(self), "text/html": frame_of(self)}

    def __repr__(self) -> str:
        place = f" at {self.path}" if self.path else ", not saved"
        return f"<Page of {self.source!r}{place}>"


class RunView:
    """`run.view(…)`."""

    def __init__(self, run: Trajectory):
        self.run = run

    def __call__(self, html: str | os.PathLike | None = None, **options: Any) -> Any:
        """The page of this run: saved as `html`, or opened in the browser without a name; in a
        notebook without a name the widget.

        `open` also opens a saved page; `force` overwrites a file; `reactions` computes forces and
        moments of all joints; `max_megabytes` is the size of the file beyond which frames are left
        out.
        """
        return show(self.run, html, **options)


def show(
    source: Trajectory | Model,
    html: str | os.PathLike | None = None,
    *,
    open: bool | None = None,
    force: bool = False,
    reactions: bool = False,
    max_megabytes: float | None = None,
) -> Any:
    """The page of a run or a model, saved or opened; in a notebook the widget of a run or a model
    whose page is neither.
    """
    if html is None and not open and in_notebook():
        from hamiltree.view.notebook.widget import has_anywidget, make_widget

        if has_anywidget():
            return make_widget(source, reactions=reactions, max_megabytes=max_megabytes)
    page = Page(source, reactions, max_megabytes)
    if html is not None:
        page.save(html, force)
    if open or (open is None and html is None and not in_notebook()):
        is_shown = page.open()
        if not is_shown and html is None:
            tell(f"no display here; open {page.path} in a browser")
    return page


def refuse_options_of_runs(reactions: bool, max_megabytes: float | None) -> None:
    """A model before any run has neither reactions nor frames that could be left out."""
    for name, is_given in (("reactions", reactions), ("max_megabytes", max_megabytes is not None)):
        if is_given:
            raise OptionError(f"{name} is for the page of a run; this is a model before any run")


def check_size(megabytes: Any) -> int:
    is_number = isinstance(megabytes, (int, float)) and not isinstance(megabytes, bool)
    if not is_number or not LEAST_BYTES <= megabytes * 1e6 < float("inf"):
        raise OptionError(f"max_megabytes = {megabytes!r}; give a number of at least 1.1")
    return int(megabytes * 1e6)


def has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def in_notebook() -> bool:
    """Whether a kernel of a notebook shows what a cell returns."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and "IPKernelApp" in getattr(running, "config", {})
