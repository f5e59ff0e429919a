"""The engine of the fork: edits, checks, drift, vendoring and assembly.

The engine is independent of the forked project. A ``ForkProject``, which the modules beside
this folder define, describes the sources and the changes.
"""
