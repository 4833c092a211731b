"""Names of variables that signing reads; apart, so that knowing them costs no import."""

PASSWORD_VARIABLE = "PASSFLOOR_KEY_PASSWORD"  # noqa: S105 - the name of a variable, not a password
