"""Proofs by program. No model, no network, no Prefect."""
