"""What ``pip variants ACTION`` does, with one module for each action."""
