"""The protocols of a measurement and of a statistic."""
