"""Each export in the hands of its trainer (`python -m tests.trainers.lanes`)."""
