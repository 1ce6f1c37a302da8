"""Standard errors by bootstrap: replicates, their noise, and how much they reveal together."""
