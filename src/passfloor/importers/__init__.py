"""Logs of other tools read as records of attempts: one module a format; nothing here judges or seals."""
