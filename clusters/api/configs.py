"""Configurations that exist elsewhere: read into the wizard's input, and written back out."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from clusters.api.views import reachable_cluster
from clusters.configs import exported
from clusters.configs.converted import Kind
from clusters.configs.taken import refusal, take
from clusters.models import Cluster, ClusterDocument
from instantstart.api.actions import ACTION_PARAMETERS
from instantstart.api.asked import Asked
from instantstart.api.views import ApiView
from instantstart.problem import Problem


class ConfigSerializer(Asked):
    """A configuration as a text, or as the object itself."""

    config = serializers.JSONField(help_text="Text of a create-cluster JSON or of a hyp config.yaml; or the JSON object.")
    region = serializers.CharField(required=False, help_text="Region of the cluster, where the configuration does not tell it.")


class FindingBody(BaseModel):
    model_config = ConfigDict(frozen=True)

    field: str = Field(description="Dotted path in the configuration.")
    kind: Kind = Field(description="Why it is not in the input as it stood.")
    sentence: str


class InputErrorBody(BaseModel):
    model_config = ConfigDict(frozen=True)

    field: str = Field(description="Dotted path in the input.")
    code: str
    detail: str
    hint: str


class ConvertedBody(BaseModel):
    model_config = ConfigDict(frozen=True)

    format: str = Field(description="aws-create-cluster or hyp-cluster-stack.")
    input: dict[str, Any] = Field(description="The body of POST /api/v1/clusters/.")
    findings: list[FindingBody] = Field(description="Every field that is not, or not as it stood, in the input.")
    errors: list[InputErrorBody] = Field(description="What would be refused in the input; empty: it can be planned.")


class ClusterConfigsView(ApiView):
    """Nothing is kept and nothing is made: the answer is an input to look at."""

    required_role: ClassVar = {"POST": Role.VIEWER}
    # As every POST takes them; there is nothing that a dry run would not do.
    query_parameters: ClassVar = {"POST": ACTION_PARAMETERS}

    @extend_schema(request=ConfigSerializer, responses={200: ConvertedBody})
    def post(self, request: Request) -> Response:
        """Turn a create-cluster JSON or a hyp cluster configuration into the input of a creation."""
        asked = ConfigSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        config = asked.validated_data["config"]
        if not isinstance(config, str | dict):
            raise refusal("not_a_cluster_config", "It is neither a text nor an object.", "Send one of the two.")
        converted, errors = take(config, asked.validated_data.get("region", ""))
        body = ConvertedBody(
            format=converted.format,
            input=converted.input,
            findings=[FindingBody(field=found.field, kind=found.kind, sentence=found.sentence) for found in converted.findings],
            errors=[InputErrorBody(field=error.field, code=error.code, detail=error.detail, hint=error.hint) for error in errors],
        )
        return Response(body.model_dump(mode="json"))


def export_of(cluster: Cluster) -> dict[str, Any]:
    """The create-cluster JSON of what was last observed. Problem 409 while there is no HyperPod cluster."""
    document = ClusterDocument.objects.filter(cluster=cluster, name="hyperpod").first()
    if document is None or not document.body:
        raise Problem(
            409,
            "nothing_to_export",
            "Nothing to export",
            f"No HyperPod cluster {cluster.name} has been observed yet.",
            "Wait until its HyperPod phase is ready.",
        )
    return exported(document.body, cluster.spec.get("tags"))


class ClusterExportView(ApiView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, name: str) -> Response:
        """The cluster as `aws sagemaker create-cluster --cli-input-json` takes it, from what was last observed."""
        return Response(export_of(reachable_cluster(request, name)))
