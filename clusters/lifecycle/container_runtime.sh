#!/bin/bash
# Images and writable layers of containers go to the largest disk there is, for the root volume is small.
set -euo pipefail

for disk in /opt/dlami/nvme /opt/sagemaker; do
    if mountpoint -q "$disk"; then
        mkdir -p "$disk/containerd/data-root"
        config=/etc/eks/containerd/containerd-config.toml
        if [ -f "$config" ]; then
            sed -i "s|^root *=.*|root = \"$disk/containerd/data-root\"|" "$config"
            echo "containerd: data goes to $disk"
        fi
        exit 0
    fi
done
echo "containerd: data stays on the root volume"
