"""The one table language: a column and a table whose every operation makes a row's value of that row alone."""
