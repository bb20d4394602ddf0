"""Speed against peers that are measured in the same run: `python -m benchmarks`."""
