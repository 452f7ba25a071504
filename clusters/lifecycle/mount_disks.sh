#!/bin/bash
# Waits for the extra EBS volume that the instance group asks for, and for the instance's NVMe disks. Neither is required.
set -euo pipefail

for path in /opt/sagemaker /opt/dlami/nvme; do
    for _ in $(seq 1 30); do
        if mountpoint -q "$path"; then
            echo "disks: $path is mounted"
            break
        fi
        [ -d "$path" ] || { echo "disks: this instance has no $path"; break; }
        sleep 2
    done
done
