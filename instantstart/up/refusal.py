"""Why `up` can't go on: one sentence with the fix."""


class Refusal(Exception):
    """Nothing was started, or what was started has been ended again; the text is for a person."""
