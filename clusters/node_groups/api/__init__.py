"""EKS node groups through REST."""
