"""The wire formats of AWS, in and out, as botocore's service models describe them."""
