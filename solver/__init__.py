"""Harnesses, rollouts, difficulty."""
