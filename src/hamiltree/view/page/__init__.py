"""The page: a run or a model as one HTML file that needs no network."""
