"""Readers of benchmarks: files that other people publish, and sets of our own, as tasks with ids and categories."""
