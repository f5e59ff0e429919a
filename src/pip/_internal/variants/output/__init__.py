"""Present decisions to users and programs."""
