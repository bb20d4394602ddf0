"""`python -m hamiltree`: the command line."""

from hamiltree.cli.app import main

main()
