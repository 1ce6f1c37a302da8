"""Tables in which a person has several rows."""
