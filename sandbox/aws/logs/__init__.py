"""Amazon CloudWatch Logs: groups, streams, events."""
