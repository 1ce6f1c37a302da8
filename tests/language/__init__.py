"""What the table language promises: each row by itself, with pandas' meaning, in graphs that stay small."""
