"""Frozen, strict records of every document the project reads or writes."""
