"""The mechanisms: edits, checks, drift, vendoring and assembling, for any project.

Nothing here knows which project is forked.  What is made from what, and where it differs,
is a ``Project``, which the modules beside this folder describe.
"""
