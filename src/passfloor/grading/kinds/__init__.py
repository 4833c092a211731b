"""Graders, one module a family: ``grader(assertion, evidence) -> bool``.

A grader is pure and total: it raises nothing but ``CannotJudge``.
"""
