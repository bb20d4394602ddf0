"""Runs and models in a notebook: a widget, or the page in a frame where anywidget is missing."""
