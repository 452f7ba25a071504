#!/bin/bash
# Runs on every HyperPod instance before it joins Kubernetes. HyperPod names this file in LifeCycleConfig.OnCreate.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
log=/var/log/provision/provisioning.log
mkdir -p "$(dirname "$log")"
exec > >(tee -a "$log") 2>&1

echo "lifecycle: start $(date -u +%FT%TZ)"
for step in mount_disks.sh container_runtime.sh; do
    echo "lifecycle: $step"
    bash "$here/$step"
done
echo "lifecycle: end $(date -u +%FT%TZ)"
