"""CloudFormation: stacks. Source: botocore's model of 2010-05-15; `ValidationError` says in words what other services code."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("AlreadyExistsException", R, "A stack of this name exists already; looking whether it is ours."),
    Entry("NameAlreadyExistsException", R, "The name exists already; looking whether it is ours."),
    Entry("TokenAlreadyExistsException", R, "This very request came before; looking what became of it."),
    Entry("OperationInProgressException", R, "Another operation on the stack is under way."),
    Entry("OperationIdAlreadyExistsException", R, "This very request came before; looking what became of it."),
    Entry("StaleRequestException", R, "The stack has changed meanwhile."),
    Entry("ChangeSetNotFound", R, "The change set is not there (yet)."),
    Entry("InvalidChangeSetStatus", R, "The change set is not in a state for this now."),
    Entry("StackNotFoundException", R, "The stack is not there (yet)."),
    Entry("OperationNotFoundException", X, "CloudFormation does not know this operation."),
    Entry("StackInstanceNotFoundException", X, "CloudFormation does not know this stack instance."),
    Entry("StackSetNotFoundException", X, "CloudFormation does not know this stack set."),
    Entry("StackSetNotEmptyException", R, "The stack set still has stacks."),
    Entry("InvalidOperationException", X, "The stack does not allow this.", "The message says why."),
    Entry("CreatedButModifiedException", X, "What the stack made was changed by hand.", "Undo the change, or delete the resource."),
    Entry("LimitExceededException", X, "A CloudFormation quota is reached.", "Delete old stacks, or ask for a higher quota."),
    Entry("ConcurrentResourcesLimitExceeded", R, "CloudFormation already works on as many resources as it may."),
    Entry("InsufficientCapabilitiesException", X, "The stack's IAM resources were not acknowledged.", "Report it with the operation's id."),
    Entry("TypeNotFoundException", X, "CloudFormation does not know this resource type here.", "Choose another region."),
    Entry("TypeConfigurationNotFoundException", X, "The resource type has no configuration here."),
    Entry("CFNRegistryException", X, "CloudFormation's registry rejects the type."),
    Entry("ValidationError", R, "The stack is not there (yet).", pattern=r"(?i)does not exist"),
    Entry("ValidationError", R, "Another operation on the stack is under way.", pattern=r"_IN_PROGRESS"),
    Entry("ValidationError", R, "The stack needs no change; looking again.", pattern=r"(?i)no updates are to be performed"),
    Entry(
        "ValidationError", X, "The stack must be deleted first.", "Delete the stack, then try again.", pattern=r"ROLLBACK_(COMPLETE|FAILED)"
    ),
    Entry("ValidationError", X, "CloudFormation rejects the template or its parameters.", "Correct what the message names."),
)
