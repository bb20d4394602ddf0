"""The command line: a module per command; `app` has the entry point, `options` what they share."""
