"""What is kept on disk of runs: each run's journal, from which it is resumed, and the ledger of all runs."""
