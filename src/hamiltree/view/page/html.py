"""One HTML file: style, data and script of a page, which may load nothing from anywhere.

The policy allows our own script and style by their hashes, images and films made in the page, and
nothing else. Data stand in elements that are never run; "<" is written as an escape there, so that
no name of a model can end them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

from hamiltree.errors import FileError

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="hamiltree {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This page shows a moving picture and needs JavaScript.</noscript>
<div id="hamiltree"></div>
<script type="application/json" id="hamiltree-document">{document}</script>
<script type="text/plain" id="hamiltree-arrays">{arrays}</script>
<script>{script}</script>
</body>
</html>
"""
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "img-src data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'"
)


@cache
def bundle(name: str) -> str:
    """A file that `make web` has built."""
    place = files("hamiltree.view.page") / "bundle" / name
    try:
        return place.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{name} of the page is missing; build it with `make web`") from None


def render(document: dict[str, Any], arrays: str) -> str:
    """The whole file."""
    from hamiltree.version import __version__

    script, style = bundle("page.js"), bundle("page.css")
    policy = POLICY.format(script=hash_of(script), style=hash_of(style))
    return TEMPLATE.format(
        policy=policy,
        version=html.escape(__version__),
        title=html.escape(document["title"]),
        style=style,
        document=safe_json(document),
        arrays=arrays,
        script=script,
    )


def hash_of(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def safe_json(value: Any) -> str:
    """JSON in which no element of HTML can begin or end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
