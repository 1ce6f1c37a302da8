"""`.dp` on DataFrames and Series: what users type, read once."""
