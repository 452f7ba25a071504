"""Where evidence comes from: one file a source. Each says what it read, from when that is, and what it could not read."""
