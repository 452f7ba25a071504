"""What can be had: instance types and their prices (tables), regions, zones, versions, training plans, quotas (read from AWS)."""
