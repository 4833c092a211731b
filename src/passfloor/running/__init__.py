"""Running: a plan, a session under it, the attempts, and the receipt they are sealed in."""
