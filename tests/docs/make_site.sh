# Makes the site for a test, without the build directory's target `docs`, since other tests build there at the same time.
# Sourced after tests/self/lib.sh.
bare=$BUILD/self/site/bare # the site without x-rays

# no_site WORDS: ends the script with 77, skipped.
no_site() {
    echo "skipped: $*"
    exit 77
}

# make_bare: the site without x-rays, unless it exists and nothing has changed since. A missing package skips the test.
make_bare() {
    [ -x "$SPHINX" ] || no_site "no sphinx-build; the target docs says what to install"
    [ ! -e "$bare.made" ] || [ -n "$(find "$SOURCE/docs" "$SOURCE/common" "$SOURCE/tests" "$SOURCE"/[0-9]* "$SOURCE"/*.* \
        -newer "$bare.made" -type f | head -1)" ] || return 0
    rm -rf "$bare" "$bare.made" "$bare.cache" && mkdir -p "${bare%/*}" # all pages again: a warning is printed only once
    output=$("$SPHINX" -q -W --keep-going -D release=0 -c "$SOURCE/docs/site" -d "$bare.cache" "$SOURCE/docs" "$bare" 2>&1)
    status=$?
    case $output in *'The site needs: '*) no_site "$output" ;; esac
    if [ $status = 0 ]; then
        : >"$bare.made"
    else
        bad "the site has warnings"
        said
    fi
}

# make_whole: the site with its x-rays, $BUILD/site, by the target `docs`, while nothing else builds there.
make_whole() {
    locked=$(cached WORKBOOK_FLOCK)
    case $locked in *-NOTFOUND) locked= ;; esac
    if [ ! -x "$SPHINX" ]; then
        failed=2 # make's status
        [ ! -f "$BUILD/build.ninja" ] || failed=1
        expect $failed 'apt-get install python3-sphinx' ${locked:+"$locked" "$BUILD/build.lock"} cmake --build "$BUILD" --target docs
        [ "$failures" = 0 ] || finish
        no_site "no sphinx-build; cmake --build $BUILD --target docs says what to install"
    fi
    output=$(${locked:+"$locked" "$BUILD/build.lock"} cmake --build "$BUILD" --target docs 2>&1)
    status=$?
    case $output in *'The site needs: '*) no_site "$output" ;; esac
    [ $status = 0 ] && printf '%s\n' "$output" | grep -q 'The site: .*index.html' || { bad "the target docs fails"; said; }
}
