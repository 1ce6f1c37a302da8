"""Tables perturbed once and stored."""
