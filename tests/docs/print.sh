#!/bin/sh
# A chapter of the site as a PDF (docs/site/print.sh): it has pages, and more of them with its answers. browser.py checks that
# nothing is cut off. 77, skipped, without Chromium or Sphinx.
. "$SOURCE/tests/self/lib.sh"
. "$SOURCE/tests/docs/make_site.sh"
command -v chromium >/dev/null || no_site "sudo apt-get install chromium"
make_bare
scratch=$BUILD/self/print
rm -rf "$scratch"
pages() { grep -ac '/Type /Page$' "$1"; }
print() { expect 0 '' sh "$SOURCE/docs/site/print.sh" "$bare" "$scratch/$1" $2 01-reduction; }
print class ''
print teacher --answers
class=$(pages "$scratch/class/01-reduction.pdf") teacher=$(pages "$scratch/teacher/01-reduction.pdf")
[ "$class" -ge 5 ] && [ "$class" -le 30 ] || bad "a chapter has $class pages"
[ "$teacher" -gt "$class" ] || bad "with its answers it has $teacher pages, without them $class"
[ ! -e "$bare/_print.html" ] || bad "the page that was printed is left in the site"
expect 1 'there is no page 77-nothing' sh "$SOURCE/docs/site/print.sh" "$bare" "$scratch/none" 77-nothing
expect 1 'nothing does not print 01-reduction' env CHROMIUM=/nothing sh "$SOURCE/docs/site/print.sh" "$bare" "$scratch/none" 01-reduction
finish
