"""Benchmark the fork against stock pip and uv on one index."""
