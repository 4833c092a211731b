"""What becomes of a verified receipt elsewhere: attestations for other tools, and a redacted copy."""
