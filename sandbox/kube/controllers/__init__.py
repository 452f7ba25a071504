"""AWS's own controllers, which act on a cluster from outside: HyperPod's nodes join it, EKS's add-ons go in, Karpenter sizes it."""
