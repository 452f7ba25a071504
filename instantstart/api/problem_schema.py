"""The shape of problem details, for the schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class FieldErrorSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(help_text='Dotted path in the input, or the parameter\'s name; "" for the whole.')
    code = serializers.CharField(help_text="A stable word.")
    detail = serializers.CharField(help_text="What is wrong.")
    hint = serializers.CharField(help_text="The fix.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457). Some codes carry further members: `operation` names the one in the way, `plan` the new plan."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="A stable word; tell problems apart by it.")
    detail = serializers.CharField(help_text="What happened here.")
    hint = serializers.CharField(help_text="What to do.")
    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]
    request_id = serializers.CharField(help_text="Also in the log and in the audit trail.")
