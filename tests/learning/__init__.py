"""Learning by counting: classifiers, clusters, rules, components."""
