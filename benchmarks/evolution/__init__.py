"""What evolution does to both players, by arm and seed: `play` runs it, `summary` tells it, results.jsonl keeps it."""
