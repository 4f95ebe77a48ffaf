"""Task sets in the formats of RL trainers."""
