"""IAM: roles, policies, users, OIDC providers, instance profiles, and the evaluation of policies that every call passes."""
