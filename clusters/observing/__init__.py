"""Reading a whole cluster at once, and keeping what was read."""
