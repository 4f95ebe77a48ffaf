"""The players' weights: sampling engines and their lineage."""
