"""IAM: roles, policies, OIDC providers, instance profiles, policy simulation. Source: botocore's model of 2010-05-08."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("ConcurrentModification", R, "Someone else changes the same thing."),
    Entry("DeleteConflict", R, "Something is still attached to it.", "It goes on once what is attached is gone."),
    Entry("EntityAlreadyExists", R, "It exists already; looking whether it is ours."),
    Entry("EntityTemporarilyUnmodifiable", R, "IAM is still busy with it."),
    Entry("NoSuchEntity", R, "IAM does not know it (yet)."),
    Entry("OpenIdIdpCommunicationError", R, "IAM could not reach the cluster's OIDC issuer."),
    Entry("PolicyEvaluation", R, "IAM could not evaluate the policies."),
    Entry("RoleModified", R, "Someone else changes the role."),
    Entry("LimitExceeded", X, "An IAM quota is reached.", "Delete what is not needed, or ask for a higher quota."),
    Entry("InvalidInput", X, "IAM rejects the request.", "Correct what the message names."),
    Entry("MalformedPolicyDocument", R, "The policy names a principal that IAM does not know yet.", pattern=r"(?i)invalid principal"),
    Entry("MalformedPolicyDocument", X, "The policy is malformed.", "Report it with the operation's id."),
    Entry("PolicyNotAttachable", X, "The policy can't be attached.", "It is reserved for one of AWS's own roles."),
    Entry("UnmodifiableEntity", X, "Only AWS's own service may change it.", "Delete it through the service that owns it."),
    Entry("NotSupportedService", X, "The service does not offer this."),
    Entry("RoleTemplateDisabled", X, "The role's template is disabled."),
    Entry("NameConflict", X, "The name is taken.", "Choose another name."),
    Entry("FeatureDisabled", X, "The feature is off in this account."),
    Entry("FeatureEnabled", R, "The feature is on already."),
)
