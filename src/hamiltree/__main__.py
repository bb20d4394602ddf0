"""`python -m hamiltree`: the command line."""

from hamiltree.cli import main

main()
