"""The schema of views that carry out actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiResponse, PolymorphicProxySerializer, extend_schema
from pydantic import BaseModel, create_model
from rest_framework import serializers

from instantstart.api.asked import Asked
from operations.api.serializers import OperationDetailSerializer
from operations.plan import Frozen, Plan

F = TypeVar("F", bound=Callable[..., Any])

PlanAnswer = create_model(
    "Plan",
    __base__=Frozen,
    __doc__=Plan.__doc__,
    **{name: (field.annotation, field) for name, field in Plan.model_fields.items()},  # type: ignore[call-overload]
    changed=(bool, ...),
    fingerprint=(str, ...),
)
"""A plan as the API answers it: with the two values that are derived from it."""


class UnchangedSerializer(serializers.Serializer[Any]):
    """The world is already as asked: nothing was done."""

    changed = serializers.BooleanField(help_text="false")
    operation = serializers.CharField(allow_null=True, help_text="null")
    plan = serializers.JSONField()


class OperationAcceptedSerializer(OperationDetailSerializer):
    """The operation that carries it out; its address is in Location."""

    changed = serializers.BooleanField(help_text="true")

    class Meta(OperationDetailSerializer.Meta):
        fields = (*OperationDetailSerializer.Meta.fields, "changed")
        read_only_fields = fields


def describe_action(request: type[BaseModel] | type[serializers.Serializer[Any]] | None, **more: Any) -> Callable[[F], F]:
    """Decorator for a handler that returns `run_action(...)`. request: the body's type. more: as extend_schema."""
    responses = {
        200: OpenApiResponse(_one_of("PlanOrUnchanged"), "The plan of a dry run; or there was nothing to change."),
        202: OpenApiResponse(OperationAcceptedSerializer, "Accepted: the operation goes on; wait with `?wait=` at its address."),
    }
    return extend_schema(request=request, responses=responses, **more)


def describe_local(
    request: type[Asked] | None, status: int, answer: type[serializers.Serializer[Any]] | None, **more: Any
) -> Callable[[F], F]:
    """Decorator for a handler that returns `write(...)`. status, answer: what it answers when it has changed something."""
    if status == 200 and answer is not None:
        name = f"PlanOrUnchangedOr{answer.__name__.removesuffix('Serializer')}"
        return extend_schema(request=request, responses={200: OpenApiResponse(_one_of(name, answer), "As it is now; or the plan.")}, **more)
    responses = {200: OpenApiResponse(_one_of("PlanOrUnchanged"), "The plan of a dry run; or there was nothing to change."), status: answer}
    return extend_schema(request=request, responses=responses, **more)


def _one_of(name: str, *more: type[serializers.Serializer[Any]]) -> PolymorphicProxySerializer:
    parts: list[Any] = [PlanAnswer, UnchangedSerializer, *more]
    return PolymorphicProxySerializer(component_name=name, serializers=parts, resource_type_field_name=None, many=False)
