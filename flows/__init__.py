"""Orchestration: flows, command line, reports. Alone imports Prefect."""
