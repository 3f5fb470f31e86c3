# Ends the script with 77, skipped, where the site cannot be built. Sourced after tests/self/lib.sh.
if [ ! -x "$SPHINX" ]; then
    failed=2 # make's status
    [ ! -f "$BUILD/build.ninja" ] || failed=1
    expect $failed 'apt-get install python3-sphinx' cmake --build "$BUILD" --target docs
    [ "$failures" = 0 ] || finish
    echo "skipped: no sphinx-build; cmake --build $BUILD --target docs says what to install"
    exit 77
fi
missing=$(cmake --build "$BUILD" --target docs 2>&1 | grep 'The site needs: ') && { echo "skipped: $missing"; exit 77; }
