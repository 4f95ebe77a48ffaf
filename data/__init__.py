"""Records, Arrow schemas, chunk files, versions, selection. Imports nothing of ours."""
