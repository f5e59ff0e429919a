"""The publishers' side of wheel variants: build, index, check.

It knows nothing of installing: what is shared with the rest is the model of manifests,
properties and file names.
"""
