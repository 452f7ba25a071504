"""AWS accounts through REST."""
