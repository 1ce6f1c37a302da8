"""Tables of counts, sums and means over keys, with their margins."""
