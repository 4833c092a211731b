"""Executors: what spreads a run's attempts."""
