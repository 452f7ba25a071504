"""EKS node groups: EC2 machines in the account, for work that needs no HyperPod: mostly CPU work, and capacity blocks."""
