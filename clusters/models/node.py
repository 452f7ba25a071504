"""Nodes: HyperPod's instances and the Kubernetes nodes they became."""

from __future__ import annotations

from django.db import models

from clusters.models.cluster import Cluster


class Node(models.Model):
    """One instance. `key` is its instance id, or its logical id while it has none.

    status, message: HyperPod's. ready: Kubernetes' Ready condition, None where Kubernetes does not know the node or could not be read.
    health: the label sagemaker.amazonaws.com/node-health-status. gpus, gpus_used, efa: accelerators that pods may have and have, and
    EFA interfaces; None where Kubernetes does not know. work: what of people's runs on it, by name. boot_id: another after each start.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="nodes")
    key = models.CharField(max_length=64)
    instance_id = models.CharField(max_length=32, blank=True)
    logical_id = models.CharField(max_length=64, blank=True)
    group_name = models.CharField(max_length=63)
    instance_type = models.CharField(max_length=64)
    status = models.CharField(max_length=32)
    message = models.CharField(max_length=1000, blank=True)
    kubernetes_name = models.CharField(max_length=253, blank=True)
    private_dns = models.CharField(max_length=253, blank=True)
    zone = models.CharField(max_length=32, blank=True)
    ready = models.BooleanField(null=True, blank=True)
    schedulable = models.BooleanField(null=True, blank=True)
    health = models.CharField(max_length=64, blank=True)
    launched_at = models.DateTimeField(null=True, blank=True)
    image_release = models.CharField(max_length=32, blank=True)
    gpus = models.PositiveIntegerField(null=True, blank=True)
    gpus_used = models.PositiveIntegerField(null=True, blank=True)
    efa = models.PositiveIntegerField(null=True, blank=True)
    labels = models.JSONField(default=dict, blank=True)
    work = models.JSONField(default=list, blank=True)
    boot_id = models.CharField(max_length=64, blank=True)
    observed_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster", "group_name", "key"]
        constraints = [models.UniqueConstraint(fields=["cluster", "key"], name="one_node_of_a_key_per_cluster")]
        indexes = [models.Index(fields=["cluster", "group_name"])]

    def __str__(self) -> str:
        return self.instance_id or self.logical_id
