"""Helpers for the tests and the demo: wheels, manifests, an index, machines.

``wheels``, ``manifests``, ``hosts`` and ``index`` use the standard library only, so
that the demo runs with a bare interpreter.
"""
