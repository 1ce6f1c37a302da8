"""What looks wrong with a release, and what to do about it."""
