"""Graders with code, run apart from everything: what a suite brings to judge an attempt by running it."""
