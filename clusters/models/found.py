"""What a search for clusters found in the account's regions: rows to choose from, kept until the next search."""

from __future__ import annotations

from typing import Any

from django.db import models

from clusters.choices import SearchState

EVERYWHERE = "imports"
"""Topic of the status events."""


def search_key(account: str, region: str) -> str:
    return f"{account}/{region}" if account else region


class SearchedRegion(models.Model):
    """One region that was searched, or is to be. asked_at: since when; what was read before is read again.

    asked_account: digits of a further account; "" for that of the installation's own credentials. account: whose it is; "" until that is
    known. clusters: how many were listed, EKS and HyperPod; read: how
    many of them have been described since asked_at. message: what could not be read, and why.
    """

    asked_account = models.CharField(max_length=12, blank=True)
    account = models.CharField(max_length=12, blank=True)
    region = models.CharField(max_length=32)
    state = models.CharField(max_length=12, choices=SearchState.choices, default=SearchState.WAITING)
    message = models.CharField(max_length=1000, blank=True)
    clusters = models.PositiveIntegerField(default=0)
    read = models.PositiveIntegerField(default=0)
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["asked_account", "region"]
        constraints = [models.UniqueConstraint(fields=["asked_account", "region"], name="one_search_of_a_region_of_an_account")]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Of the source that is looked at."""
        return search_key(self.asked_account, self.region)


class Found(models.Model):
    """What is common to EKS and HyperPod clusters. body: as AWS describes it. read_at: None while it is only listed. problem: why it
    could not be described."""

    account = models.CharField(max_length=12)
    region = models.CharField(max_length=32)
    name = models.CharField(max_length=100)
    arn = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=32, blank=True)
    body: models.JSONField[Any, Any] = models.JSONField(default=dict)
    problem = models.CharField(max_length=1000, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.region}/{self.name}"


class FoundCluster(Found):
    """An EKS cluster. owner: the value of the tag instantstart:cluster. network: its subnets and the VPC's range, {} when not readable."""

    kubernetes_version = models.CharField(max_length=16, blank=True)
    vpc_id = models.CharField(max_length=32, blank=True)
    owner = models.CharField(max_length=256, blank=True)
    network: models.JSONField[Any, Any] = models.JSONField(default=dict)

    class Meta:
        ordering = ["region", "name"]
        constraints = [models.UniqueConstraint(fields=["account", "region", "name"], name="one_found_cluster_of_a_name")]


class FoundHyperPod(Found):
    """A HyperPod cluster. orchestrator: ARN of its EKS cluster, "" for another orchestrator."""

    orchestrator = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["region", "name"]
        constraints = [models.UniqueConstraint(fields=["account", "region", "name"], name="one_found_hyperpod_of_a_name")]
        indexes = [models.Index(fields=["orchestrator"])]
