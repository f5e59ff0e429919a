"""What was decided, as people and programs read it."""
