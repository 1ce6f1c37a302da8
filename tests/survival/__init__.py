"""Life tables and what follows from them."""
