"""Kill upgrades at every moment, and check the resulting environment."""
