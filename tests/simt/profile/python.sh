#!/bin/sh
# Runs a Python script by the system's own interpreter, which has the distribution's packages, otherwise by another one.
#
#     python.sh SCRIPT ARGUMENTS...
export PYTHONDONTWRITEBYTECODE=1 # nothing beside the sources
for python in /usr/bin/python3 python3; do
    command -v "$python" >/dev/null && exec "$python" "$@"
done
echo "skipped: there is no python3"
exit 77
