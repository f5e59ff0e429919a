"""Feed malicious input to all code that parses external data."""
