"""Compare the selections of this pip with other implementations, at random."""
