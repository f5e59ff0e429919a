"""Kill upgrades at every moment, and judge what is left of the environment."""
