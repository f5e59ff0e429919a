"""Build, index, check and adopt wheel variants: what publishers need, without pip.

It needs the libraries of the extra ``cli``. Nothing in the model imports it.
"""
