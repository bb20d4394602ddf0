"""Published problems as data files, and runs of ours beside their digits: `hamiltree verify`.

A file in `problems/` says where a problem comes from, what is run and by which formulations and
integrators, the reference digits and what they are good to (`problem.py`, docs/verify.md).
"""
