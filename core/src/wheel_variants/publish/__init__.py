"""Build, index, check and adopt wheel variants: the commands for publishers, without pip.

The package needs the libraries of the extra ``cli``. The model never imports it.
"""
