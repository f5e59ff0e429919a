"""What upstream calls: a module for each part of it."""
