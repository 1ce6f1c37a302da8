"""One page of what a session released."""
