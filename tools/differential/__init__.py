"""Compare the choices of this pip with those of others, on random releases."""
