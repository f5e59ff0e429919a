"""Compare this pip's selections with those of other implementations, at random."""
