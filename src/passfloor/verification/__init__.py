"""Judging a receipt: everything it claims is derived again from the attempts it embeds."""
