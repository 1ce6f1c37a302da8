"""What is declared of columns before the data is seen: intervals, categories, missing values."""
