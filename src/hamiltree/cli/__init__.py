"""The command line: `hamiltree run`, `compare`, `list`, …"""
