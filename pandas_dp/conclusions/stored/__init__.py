"""Tables that were published once, and what can be read off them."""
