"""Where manifests and wheels are, and what they say: the edge to index and disk."""
