"""What ``pip variants ACTION`` does: one module an action."""
