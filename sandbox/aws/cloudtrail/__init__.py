"""CloudTrail: the history of management events that change something, and LookupEvents over it."""
