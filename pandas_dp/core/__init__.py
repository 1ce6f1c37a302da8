"""What every question needs, and nothing of any one kind of question."""
