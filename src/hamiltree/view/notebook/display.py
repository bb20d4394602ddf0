"""What a cell shows whose value is a run, a model or a page."""

from __future__ import annotations

import html
from typing import Any

from hamiltree.errors import HamiltreeError
from hamiltree.model.model import Model
from hamiltree.view.notebook.widget import HOW_TO_INSTALL, has_anywidget, make_widget
from hamiltree.view.page.view import Page, in_notebook

SHOWN_MEGABYTES = 5.0  # of what a cell shows by itself; ask for more with widget() or view()
HEIGHT = 560  # pixels of a frame
FRAME = (
    '<iframe srcdoc="{page}" style="width:100%;height:{height}px;border:0" '
    'title="{title}" sandbox="allow-scripts allow-downloads"></iframe>'
)
HINT = (
    '<p style="font-size:small;opacity:.75">For a widget that Python can move: '
    f"<code>{HOW_TO_INSTALL}</code></p>"
)


def mimebundle(source: Any) -> Any:
    """The widget of a run or a model; the page in a frame without anywidget; text outside a
    notebook and where nothing can be shown.
    """
    text = {"text/plain": repr(source)}
    if not in_notebook():
        return text
    try:
        most = None if isinstance(source, Model) else SHOWN_MEGABYTES
        if has_anywidget():
            return with_text(make_widget(source, max_megabytes=most), text)
        page = Page(source, False, most)
        return text | {"text/html": frame_of(page) + HINT}
    except HamiltreeError as error:
        return {"text/plain": f"{source!r}\n({error})"}


def with_text(widget: Any, text: dict[str, str]) -> Any:
    """What the widget shows, with the text of the run for places that show no widgets."""
    shown = widget._repr_mimebundle_()
    data, *about = shown if isinstance(shown, tuple) else (shown,)
    return (data | text, *about) if about else data | text


def frame_of(page: Page) -> str:
    """The whole page in a frame of its own."""
    title = html.escape(page.document[0]["title"], quote=True)
    return FRAME.format(page=html.escape(page.html, quote=True), title=title, height=HEIGHT)
