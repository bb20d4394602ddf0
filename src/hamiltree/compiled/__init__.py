"""Compiled code: the only package that knows the compiler.

Kernels, their cache, numbers and lanes, pointers, callbacks.
"""
