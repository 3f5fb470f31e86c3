#!/bin/sh
# driver.sh BUILD STEP: the object of the driver that a step's standalone programs are linked with.
awk -F '\t' -v build="$1" -v step="$2" '$1 "/" $2 == step { sub(/ .*/, "", $6); print build "/objects/drivers/" $6 ".o" }' "$1/course.tsv"
