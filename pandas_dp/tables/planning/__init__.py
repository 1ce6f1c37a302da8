"""Which tables are worth measuring for a workload, and how well."""
