"""What any release supports: intervals, contrasts, averages."""
