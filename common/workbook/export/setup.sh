#!/bin/sh
# Gradescope runs this once, when it builds the image: it installs the CUDA Toolkit, which needs no GPU, and
# builds the workbook.
set -e
apt-get update
apt-get install -y --no-install-recommends ca-certificates g++ make python3-pip wget
python3 -m pip install 'cmake>=3.25' || python3 -m pip install --break-system-packages 'cmake>=3.25'
. /etc/os-release
release=ubuntu$(printf %s "$VERSION_ID" | tr -d .)
wget -q "https://developer.download.nvidia.com/compute/cuda/repos/$release/x86_64/cuda-keyring_1.1-1_all.deb" -O /tmp/keyring.deb
dpkg -i /tmp/keyring.deb
apt-get update
apt-get install -y --no-install-recommends cuda-nvcc-13-0 cuda-cudart-dev-13-0 cuda-cccl-13-0
cd /autograder/source/warpbook
cmake --preset default -DWORKBOOK_GPU=off
cmake --build build --target workbook judges
