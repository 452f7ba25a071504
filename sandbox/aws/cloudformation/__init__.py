"""CloudFormation: stacks that advance on the agenda, one resource at a time, through the services' own handlers.

`template` and `intrinsics` read a template, `graph` orders it, `engine` moves a stack on, `resources/` knows the types, and
`operations_*` are the API.
"""
