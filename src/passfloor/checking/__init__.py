"""Checking: run an agent again and compare; the only part besides running that starts one."""
