"""Plan, pay, look, add noise, conclude; nothing else."""
