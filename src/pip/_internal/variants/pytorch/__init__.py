"""PyTorch as it is published today: a bridge from its local versions to variants.

The builds of a release of torch differ in their local version (``2.9.1+cu128``) and in
where they lie on PyTorch's own index; none is a variant wheel yet. This room makes
variants of them. It is no part of any standard, and goes when it is no longer needed.
"""
