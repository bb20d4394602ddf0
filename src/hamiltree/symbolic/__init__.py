"""What a user writes as text (a Hamiltonian, an invariant, an event), from the characters to
compiled code.
"""
