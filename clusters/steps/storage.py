"""The shared bucket as a volume in Kubernetes, and the proof that it mounts."""

from __future__ import annotations

from typing import Any

from clusters import names, tags
from clusters.reading.kubernetes import condition
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import ClusterStep, Subject, WaitingStep, absent, different, failed, pending, ready
from instantstart.cloud.errors import CloudError
from instantstart.kube.client import Kube
from operations.step import Fault, Observation, Outcome, StepContext

DRIVER = "s3.csi.aws.com"
CAPACITY = "1200Gi"
"""Required by Kubernetes and without meaning for a bucket."""
PROBE_IMAGE = "public.ecr.aws/docker/library/busybox:1.37"
MOUNT_PATH = "/shared"
NAMESPACE = names.STORAGE_NAMESPACE


def volume_manifest(spec: ResolvedSpec, labels: dict[str, str]) -> dict[str, Any]:
    """A static volume: Mountpoint S3 CSI makes none by itself. Only the shared prefix is mounted when the bucket is the cluster's own."""
    prefix = names.SHARED_PREFIX if spec.storage.made else ""
    options = ["allow-delete", "allow-overwrite", f"region {spec.region}", *([f"prefix {prefix}"] if prefix else [])]
    claim = spec.storage.claim
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": names.volume(claim), "labels": labels},
        "spec": {
            "capacity": {"storage": CAPACITY},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "claimRef": {"namespace": NAMESPACE, "name": claim},
            "mountOptions": options,
            "csi": {
                "driver": DRIVER,
                "volumeHandle": names.volume_handle(spec.storage.bucket, prefix, claim),
                "volumeAttributes": {"bucketName": spec.storage.bucket},
            },
        },
    }


def claim_manifest(spec: ResolvedSpec, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": spec.storage.claim, "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": names.volume(spec.storage.claim),
            "resources": {"requests": {"storage": CAPACITY}},
        },
    }


def probe_manifest(spec: ResolvedSpec, labels: dict[str, str]) -> dict[str, Any]:
    """A pod that lists the mount and ends: it succeeds only where the claim binds and mounts."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": names.storage_probe(spec.storage.claim), "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "tolerations": [{"operator": "Exists"}],
            "containers": [
                {
                    "name": "probe",
                    "image": PROBE_IMAGE,
                    "command": ["sh", "-c", f"ls {MOUNT_PATH} > /dev/null"],
                    "volumeMounts": [{"name": "shared", "mountPath": MOUNT_PATH}],
                    "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
                    "securityContext": {"allowPrivilegeEscalation": False},
                }
            ],
            "volumes": [{"name": "shared", "persistentVolumeClaim": {"claimName": spec.storage.claim}}],
        },
    }


class BucketThere(WaitingStep):
    """The bucket is the stack's own, or an existing one that we only read."""

    name = "storage-bucket"
    title = "Find the shared bucket"
    typical_seconds = 1

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        bucket = self.subject.spec.storage.bucket
        try:
            reader.aws.read("s3", "head_bucket", Bucket=bucket)
        except CloudError as error:
            if error.missing:
                return failed(
                    Fault(
                        "bucket_missing",
                        f"There is no bucket {bucket}.",
                        "Create it, or delete the cluster and create it with another bucket.",
                    )
                )
            if error.denied:
                return failed(
                    Fault(
                        "bucket_denied",
                        f"The bucket {bucket} is another account's, or its policy keeps us out.",
                        "Allow s3:ListBucket on it.",
                    )
                )
            raise
        return ready(f"The bucket {bucket} is there", bucket=bucket)


class AppliedObject(ClusterStep):
    """An object of ours in Kubernetes, by server-side apply."""

    api = "kubernetes:apply"
    typical_seconds = 1

    def manifest(self) -> dict[str, Any]:
        raise NotImplementedError

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        wanted = self.manifest()
        metadata = wanted["metadata"]
        if reader.target is None:
            return failed(Fault("control_plane_missing", "EKS tells no endpoint.", "Retry from the phase control_plane."))
        found = reader.object(wanted["apiVersion"], wanted["kind"], metadata["name"], metadata.get("namespace", ""))
        if found is None:
            return absent(f"{wanted['kind']} {metadata['name']} is not there")
        if found["metadata"].get("deletionTimestamp"):
            return pending(f"{wanted['kind']} {metadata['name']} is being deleted")
        if (found["metadata"].get("annotations") or {}).get(tags.ANNOTATION_SPEC) != tags.digest(wanted["spec"]):
            return different(f"{wanted['kind']} {metadata['name']} has another content")
        return ready(f"{wanted['kind']} {metadata['name']} is there")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        manifest = self.manifest()
        manifest["metadata"]["annotations"] = {tags.ANNOTATION_SPEC: tags.digest(manifest["spec"])}
        made = api(self.subject).apply(manifest)
        return Outcome(made["metadata"].get("resourceVersion", ""), f"Applied {manifest['kind']} {manifest['metadata']['name']}")


class ApplyVolume(AppliedObject):
    name = "storage-volume"
    title = "Create the persistent volume"

    def manifest(self) -> dict[str, Any]:
        return volume_manifest(self.subject.spec, self.subject.labels())


class ApplyClaim(AppliedObject):
    name = "storage-claim"
    title = "Create the claim"

    def manifest(self) -> dict[str, Any]:
        return claim_manifest(self.subject.spec, self.subject.labels())


class ClaimBound(WaitingStep):
    name = "storage-bound"
    title = "Wait until the claim is bound"
    typical_seconds = 5

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        claim = self.subject.spec.storage.claim
        found = reader.object("v1", "PersistentVolumeClaim", claim, NAMESPACE)
        phase = ((found or {}).get("status") or {}).get("phase", "")
        if phase == "Bound":
            return ready(f"The claim {claim} is bound")
        if phase == "Lost":
            return failed(Fault("claim_lost", f"The claim {claim} has lost its volume.", "Delete the claim, then retry the phase."))
        return pending(f"The claim {claim} is {phase or 'not there yet'}")


class ProbeMount(ClusterStep):
    """A pod of this operation mounts the claim and succeeds. The ended pod stays as evidence until the next probe or the delete."""

    name = "storage-probe"
    title = "Prove that the claim mounts"
    api = "kubernetes:apply"
    typical_seconds = 30

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        hyperpod = reader.hyperpod
        if hyperpod is not None and hyperpod.target_count == 0:
            return ready("The claim is bound; without a node nothing can mount it yet")
        pod = reader.object("v1", "Pod", names.storage_probe(self.subject.spec.storage.claim), NAMESPACE)
        if pod is None:
            return absent("No pod has proved it yet")
        if pod["metadata"].get("deletionTimestamp"):
            return pending("The pod of an earlier probe ends")
        if (pod["metadata"].get("labels") or {}).get(tags.LABEL_OPERATION) != self.subject.operation:
            return different("The probe of an earlier attempt is there", remove=True)
        phase = (pod.get("status") or {}).get("phase", "Pending")
        if phase == "Succeeded":
            return ready("A pod has mounted the claim")
        if phase == "Failed":
            return failed(
                Fault(
                    "mount_failed",
                    f"The probe pod failed: {pod_message(pod)}",
                    "Look at the pod's events; check the S3 CSI driver's role, then retry.",
                )
            )
        return pending(f"The probe pod is {phase}: {pod_message(pod)}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        manifest = probe_manifest(self.subject.spec, self.subject.labels())
        if seen.facts.get("remove"):
            api(self.subject).delete("v1", "Pod", manifest["metadata"]["name"], NAMESPACE)
            return Outcome(message="Removed the pod of an earlier probe")
        made = api(self.subject).apply(manifest)
        return Outcome(made["metadata"].get("resourceVersion", ""), "Started a pod that mounts the claim")


def pod_message(pod: dict[str, Any]) -> str:
    """Why a pod is not further, in Kubernetes' words."""
    status = pod.get("status") or {}
    for container in status.get("containerStatuses") or ():
        for state in (container.get("state") or {}).values():
            if state.get("reason"):
                return f"{state['reason']} {state.get('message', '')}".strip()
    for one in status.get("conditions") or ():
        if one.get("status") == "False" and one.get("message"):
            return str(one["message"])
    if not condition(pod, "PodScheduled"):
        return "waits for a node"
    return "starts"


def api(subject: Subject) -> Kube:
    """The cluster's API, which observe() has just seen."""
    kube = subject.reader().kube
    if kube is None:
        raise RuntimeError("observe() saw an endpoint")
    return kube
