"""Unpack large wheels ahead, and keep them in a store for the next environment."""
