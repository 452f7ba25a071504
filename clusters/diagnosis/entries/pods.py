"""Pods that do not run."""

from __future__ import annotations

from clusters.diagnosis.entry import PODS, Clue, Confidence, KnownError, Noun
from clusters.diagnosis.evidence import Source

_PULL = "Kubernetes documentation, images: ErrImagePull, ImagePullBackOff; containerd's and registries' words"

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "image_denied",
        Noun.POD,
        "The registry refuses the image",
        "The node may not pull the image: no permission on the ECR repository, a private registry without a secret, or a wrong account.",
        "Give the nodes' execution role ecr:BatchGetImage on the repository (and its policy, across accounts), or name an imagePullSecret.",
        (
            Clue(
                r"(pull|image).{0,200}(40[13] (forbidden|unauthorized)|no basic auth|access denied|not authorized|access .{0,60}is denied)",
                PODS,
            ),
        ),
        _PULL,
    ),
    KnownError(
        "image_not_found",
        Noun.POD,
        "The image does not exist",
        "The registry does not know the image or the tag.",
        "Correct the image's name and tag; check that it was pushed to that registry and region, for this architecture.",
        (Clue(r"(pull|image).{0,200}(not found|manifest unknown|does not exist|name unknown)|InvalidImageName", PODS),),
        _PULL,
    ),
    KnownError(
        "image_unreachable",
        Noun.POD,
        "The registry can't be reached",
        "The nodes reach no registry: no NAT gateway, no VPC endpoints for ECR and S3, or name resolution fails.",
        "Let the nodes' subnets reach the registry: a NAT gateway, or endpoints for ecr.api, ecr.dkr and S3.",
        (Clue(r"(pull|image).{0,200}(i/o timeout|no such host|connection refused|deadline exceeded|TLS handshake)", PODS),),
        f"{_PULL}; AWS, ECR VPC endpoints",
    ),
    KnownError(
        "image_pull_fails",
        Noun.POD,
        "An image can't be pulled",
        "The image is not on the node and pulling it fails, for a reason that the pod does not tell.",
        "Look at the pod's events.",
        (Clue(r"ErrImagePull|ImagePullBackOff|Back-off pulling image", PODS, Confidence.MEDIUM),),
        _PULL,
        after=("image_denied", "image_not_found", "image_unreachable"),
    ),
    KnownError(
        "out_of_memory",
        Noun.POD,
        "A container used more memory than it may",
        "The kernel killed the container at its memory limit (OOMKilled, exit code 137).",
        "Raise the container's memory limit, or make it use less: batch size, data loader workers, shared memory.",
        (Clue(r"OOMKilled", PODS),),
        "Kubernetes documentation, resource management: OOMKilled",
    ),
    KnownError(
        "no_room_for_accelerators",
        Noun.POD,
        "No node has the accelerators or EFA interfaces that pods ask for",
        "Pods wait because all accelerators are taken, no node of that kind is there, or the device plugin does not offer them.",
        "Look which nodes offer them and what uses them; add nodes, or wait. Nodes that offer none: look at the device plugin's pods.",
        (Clue(r"Insufficient (nvidia\.com/|aws\.amazon\.com/neuron|vpc\.amazonaws\.com/efa|amd\.com/gpu)", PODS),),
        "AWS, HyperPod troubleshooting: Insufficient nvidia.com/gpu; Kubernetes' scheduler",
    ),
    KnownError(
        "no_node_fits",
        Noun.POD,
        "No node takes the pods",
        "The scheduler finds no node: taints that the pods do not tolerate, labels that no node has, or too little CPU or memory.",
        "Compare the pods' tolerations, node selector and requests with the nodes' taints, labels and room.",
        (Clue(r"\d+/\d+ nodes are available|untolerated taint|didn't match Pod's node affinity|no nodes available to schedule", PODS),),
        "Kubernetes documentation, scheduler: FailedScheduling",
        after=("no_room_for_accelerators",),
    ),
    KnownError(
        "pods_out_of_addresses",
        Noun.POD,
        "Pods get no address",
        "The VPC CNI has no free address for the pod: the subnet is full, or the instance's interfaces are.",
        "Free addresses of the subnet or put nodes into a larger one; prefix delegation gives an interface more of them.",
        (Clue(r"failed to assign an IP address to container|FailedCreatePodSandBox.{0,300}\bIP address", PODS),),
        "AWS, Amazon VPC CNI troubleshooting: failed to assign an IP address to container",
    ),
    KnownError(
        "volume_not_mounted",
        Noun.POD,
        "A volume can't be mounted",
        "The claim is not bound, the CSI driver does not run on the node or its role lacks a right, or the file system is unreachable.",
        "Look at the claim and at the driver's pods; FSx needs TCP 988 and 1018-1023 between nodes and file system, in the same zone.",
        (
            Clue(r"FailedMount|FailedAttachVolume|MountVolume\.\w+ failed|Unable to attach or mount volumes", PODS),
            Clue(r"persistentvolumeclaim .{0,120}not found|unbound immediate PersistentVolumeClaims", PODS),
        ),
        "Kubernetes documentation, volumes; AWS, FSx for Lustre: limiting access by security groups",
    ),
    KnownError(
        "container_config_wrong",
        Noun.POD,
        "A ConfigMap or Secret that a container needs is missing",
        "The container can't be made because what its environment names is not there.",
        "Make the missing ConfigMap, Secret or key in the pod's namespace.",
        (Clue(r"CreateContainerConfigError|(configmap|secret) .{0,120}not found", PODS),),
        "Kubernetes documentation: CreateContainerConfigError",
    ),
    KnownError(
        "crash_loop",
        Noun.POD,
        "A container ends again and again",
        "The program in the container fails soon after its start; Kubernetes waits longer before each new attempt.",
        "Read the log of the attempt before (kubectl logs --previous) and its exit code.",
        (
            Clue(
                r"CrashLoopBackOff|Back-off restarting failed container",
                frozenset({Source.POD, Source.KUBERNETES_EVENT}),
                Confidence.MEDIUM,
            ),
        ),
        "Kubernetes documentation, pod lifecycle: CrashLoopBackOff",
        after=("out_of_memory", "identity_not_trusted", "pod_identity_missing", "disk_full"),
    ),
)
