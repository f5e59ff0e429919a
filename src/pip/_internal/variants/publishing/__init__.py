"""The publishers' side of wheel variants: build, index, check.

It knows nothing of installing, and shares with the rest only the model of manifests,
properties and file names.
"""
