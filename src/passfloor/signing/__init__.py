"""Keys and signatures as pure values: bytes in, verdicts out; no files, no environment, no clock."""
