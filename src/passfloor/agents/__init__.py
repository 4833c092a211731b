"""Agents that come with the package: programs, run like any user's agent, that nothing else imports."""
