"""Other sources of rows than a frame in memory."""
