"""How rows in memory are read and added up: with folds and engines, the only place that reads rows."""
