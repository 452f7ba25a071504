"""What tools take: each has a model of its own, made of these."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(max_length=512)]
ClusterName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,62}$")]
Segment = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]
"""One part of an address: nothing in it leads elsewhere."""
Scalar = str | int | float | bool


class ToolInput(BaseModel):
    """Nothing but what is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OnCluster(ToolInput):
    """cluster: left out, it is the preferred one, or the only one; the answer says which."""

    cluster: Annotated[ClusterName | None, Field(description="left out: preferred or only one")] = None


class Listing(ToolInput):
    """A list, narrowed. where: filters of the REST list by name. fields: other members than the summary's."""

    where: Annotated[dict[Segment, Scalar | list[Scalar]] | None, Field(max_length=12, description="filters: {member: value}")] = None
    fields: Annotated[list[Segment] | None, Field(max_length=20, description="members in place of the summary")] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: Annotated[Text | None, Field(description="next_cursor of the page before")] = None


class ClusterListing(OnCluster, Listing):
    """A list of things of one cluster."""


class Chosen(ToolInput):
    """One thing. fields: other members than the summary's."""

    fields: Annotated[list[Segment] | None, Field(max_length=20)] = None


class Changing(ToolInput):
    """A change. dry_run: only the plan. operation_key: the same key again has no second effect. reason: why, for who approves."""

    dry_run: Annotated[bool, Field(description="only the plan")] = False
    plan_fingerprint: Annotated[Text | None, Field(description="of that plan")] = None
    operation_key: Annotated[
        str | None, StringConstraints(min_length=1, max_length=200), Field(description="new for each change; again: no second effect")
    ] = None
    reason: Annotated[
        str | None, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=500), Field(description="why, for who approves")
    ] = None


class ClusterChange(OnCluster, Changing):
    """A change of one cluster."""


def given(data: ToolInput, *names: str) -> dict[str, Any]:
    """Those of these members that the caller gave: what is left out is not sent, so that it stays untouched."""
    return {name: value for name, value in data.model_dump(mode="json", include=set(names)).items() if name in data.model_fields_set}
