"""The session: its opening, its refusals, its plans and its views."""
