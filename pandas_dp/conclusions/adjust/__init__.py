"""Released counts made fit to print: not negative, whole, rounded, small ones withheld."""
