"""What protected frames were made of: whose code carries an operation out, and which functions may be called."""
