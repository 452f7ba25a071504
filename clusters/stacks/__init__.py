"""The CloudFormation stacks of a cluster: what we would make of them now, and change sets that bring them there."""
