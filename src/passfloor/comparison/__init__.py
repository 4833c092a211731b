"""Judging verified receipts: gates with thresholds, and two receipts against each other."""
