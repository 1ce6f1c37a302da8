"""What is learned by counting, and predictors of public rows made of it; they hold released numbers and no rows."""
