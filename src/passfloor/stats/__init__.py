"""Counts in, exact numbers out."""

from passfloor.stats.estimators import mean, pass_at_k, pass_hat_k, percent, ruled_out

__all__ = ["mean", "pass_at_k", "pass_hat_k", "percent", "ruled_out"]
