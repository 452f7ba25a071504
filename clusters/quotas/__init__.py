"""Service quotas of the regions in use: observed hourly and on request, held against what is planned, asked to be raised."""
