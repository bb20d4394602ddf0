"""Compiled code: the only room that knows the compiler.

Kernels, their cache, numbers and lanes, pointers, callbacks.
"""
