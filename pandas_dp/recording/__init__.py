"""What pandas does with a protected table, seen by its names."""
