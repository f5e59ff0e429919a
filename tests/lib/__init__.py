"""Parts that the tests and the demo share: wheels, manifests, an index, machines.

``wheels``, ``manifests``, ``hosts`` and ``index`` use the standard library only, so
that the demo runs with a bare interpreter.
"""
