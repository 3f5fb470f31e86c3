#!/bin/sh
# Draws all figures again, into this folder or into the folder that is given. Needs Python alone, and starts it once: to start takes
# longer than to draw.
set -eu
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")"
exec python3 -c '
import glob, runpy, sys
sys.path.insert(0, ".")
for script in sorted(glob.glob("*.py")):
    if script != "figure.py":
        sys.modules.pop("figure", None)  # each script its own
        sys.argv[0] = script
        runpy.run_path(script, run_name="__main__")
' "$@"
