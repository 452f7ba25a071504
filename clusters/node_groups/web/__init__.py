"""Pages of EKS node groups."""
