# The foreign program from an installed machine at $root, in the ways that users have; each finds the race of its guilty twin.
. "$SOURCE/tests/simtcc/prefix.sh"
right='^error 0, 0 of 1000 wrong, 1 devices, simt$'
race='^simt: error: Race (RAW) in __shared__ memory: .*smooth.cu:11 write by thread [0-9]*, :20 read'
includes=-I$(echo "$TOOLKIT_INCLUDES" | tr ';' '\n' | head -1)

# runs PROGRAM GUILTY: the innocent one and its twin, whose values are wrong, too.
runs() {
    expect 0 "$right" env SIMT_DEVICES=1 "$1"
    absent '^simt:'
    expect 1 "$race" "$2"
}

by_simtcc() {
    expect 0 '' "$1" -O2 -o "$scratch/a b" "$foreign/smooth.cu" "$foreign/main.cpp"
    expect 0 '' "$1" -DNO_BARRIER -o "$scratch/guilty" "$foreign/smooth.cu" "$foreign/main.cpp"
    runs "$scratch/a b" "$scratch/guilty"
}

# by_cmake FOLDER NAME: find_package looks below FOLDER.
by_cmake() {
    for barrier in OFF ON; do
        expect 0 '' cmake -S "$foreign" -B "$scratch/cmake $2 $barrier" "-DCMAKE_PREFIX_PATH=$1" \
            "-DCMAKE_CXX_COMPILER=$CXX" -DNO_BARRIER=$barrier "-DWANTED=$VERSION"
        expect 0 '' cmake --build "$scratch/cmake $2 $barrier"
    done
    runs "$scratch/cmake $2 OFF/smooth" "$scratch/cmake $2 ON/smooth"
    expect 0 ' 3 devices' "$scratch/cmake $2 OFF/smooth" # what SETTINGS says
}

# by_pkg_config FOLDER: the program's own Makefile calls simtcc for device code, and its compiler for the rest.
by_pkg_config() {
    command -v pkg-config >/dev/null || { echo "left out: pkg-config is not there"; return; }
    export PKG_CONFIG_PATH="$1/lib/pkgconfig"
    [ "$(pkg-config --modversion simt)" = "$VERSION" ] || bad "pkg-config has another version"
    for barrier in '' -DNO_BARRIER; do
        eval "set -- $(pkg-config --cflags --libs simt)"
        expect 0 '' "$(eval "echo $(pkg-config --variable=simtcc simt)")" -c $barrier "$foreign/smooth.cu" -o "$scratch/smooth.o"
        expect 0 '' "$CXX" "$includes" "$foreign/main.cpp" "$scratch/smooth.o" "$@" -o "$scratch/pkg$barrier"
    done
    runs "$scratch/pkg" "$scratch/pkg-DNO_BARRIER"
}
