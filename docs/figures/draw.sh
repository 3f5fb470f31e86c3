#!/bin/sh
# Draws all figures again, into this folder or into a given one. Needs only Python, and starts it once, since starting takes
# longer than drawing.
set -eu
export PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")"
exec python3 -c '
import glob, runpy, sys
sys.path.insert(0, ".")
for script in sorted(glob.glob("*.py")):
    if script != "figure.py":
        sys.modules.pop("figure", None)  # a separate dictionary for each script
        sys.argv[0] = script
        runpy.run_path(script, run_name="__main__")
' "$@"
