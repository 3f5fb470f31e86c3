#!/bin/sh
# The documentation site builds without a warning, and a page with a broken link does not. Ends with 77, skipped, where
# Sphinx is not installed (SPHINX is no program); then the target `docs` must say what to install.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/site
rm -rf "$scratch" && mkdir -p "$scratch"
if [ ! -x "$SPHINX" ]; then
    expect 2 'apt-get install python3-sphinx' cmake --build "$BUILD" --target docs
    [ "$failures" = 0 ] || finish
    echo "skipped: no sphinx-build; sudo apt-get install python3-sphinx python3-myst-parser python3-sphinx-rtd-theme"
    exit 77
fi
rm -rf "$BUILD/site" "$BUILD/site.cache" # all pages again: warnings come only once
expect 0 'The site: .*index.html' cmake --build "$BUILD" --target docs
for page in "$SOURCE"/docs/*.md; do
    html=$BUILD/site/$(basename "$page" .md).html
    [ -f "$html" ] || bad "$page is not in the site"
    grep -q 'toctree-l1' "$html" || bad "$html has no list of pages"
done
# Guilty, and its innocent twin.
mkdir -p "$scratch/docs" && echo '# Another' >"$scratch/docs/another.md" && cp -r "$SOURCE/docs/site" "$scratch/docs"
printf '# A page\n\n## Here\n\n[there](#here)\n' >"$scratch/docs/README.md"
expect 0 '' "$SPHINX" -q -W -c "$scratch/docs/site" "$scratch/docs" "$scratch/out"
printf '# A page\n\n## Here\n\n[there](#nowhere)\n' >"$scratch/docs/README.md"
expect 2 'nowhere' "$SPHINX" -q -W -E -c "$scratch/docs/site" "$scratch/docs" "$scratch/out"
printf '# A page\n\n![there](nowhere.svg)\n' >"$scratch/docs/README.md"
expect 2 'nowhere.svg' "$SPHINX" -q -W -E -c "$scratch/docs/site" "$scratch/docs" "$scratch/out"
finish
