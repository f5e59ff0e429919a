"""The pictures of the documents, drawn from data: ``python -m tools.pictures``."""
