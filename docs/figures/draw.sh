#!/bin/sh
# Draws all figures again, into this folder or into the folder that is given. Needs Python alone.
set -eu
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")"
for script in *.py; do
    [ "$script" = figure.py ] || python3 "$script" "$@"
done
