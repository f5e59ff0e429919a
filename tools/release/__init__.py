"""What a release consists of, and how each part of it is made."""
