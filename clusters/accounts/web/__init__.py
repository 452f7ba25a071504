"""Pages of AWS accounts."""
