"""Feed hostile input to whatever reads what others wrote."""
