#!/bin/sh
# drawn.sh TREE N COMMAND...: runs COMMAND with one more argument, K/N, so that it runs only part K of N. A hash of the
# SIMT machine's sources draws K, so every edit draws again. A test labelled more runs all parts.
tree=$1 parts=$2
shift 2
hash=$(find "$tree/common/simt" -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat -- | sha256sum | cut -c 1-7)
exec "$@" $((0x$hash % parts + 1))/"$parts"
