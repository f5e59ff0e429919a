"""What pip says of its own: whole words, folded to the terminal, and no terminal obeys it."""
