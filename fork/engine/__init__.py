"""The engine of the fork: edits, checks, drift, vendoring and assembly.

Nothing here knows which project is forked.  What is made from what, and where it differs,
is a ``Project``, which the modules beside this folder describe.
"""
