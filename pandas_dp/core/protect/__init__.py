"""Protected tables: whose rows they are, and which tables a session answers for."""
