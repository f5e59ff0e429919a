"""Make the parts of a release."""
