"""Recording what an agent asks its models: a proxy on loopback, and what goes through it as events."""
