"""EC2 and VPC: networks, addresses, security groups, interfaces, zones and instance types. One noun a module."""
