# Builds the foreign program with an installed machine in all ways open to users. All use the same machine; only simtcc
# and find_package, which pass definitions on, also build the guilty twin.
. "$SOURCE/tests/simtcc/prefix.sh"
right='^error 0, 0 of 1000 wrong, 1 devices, simt$'
race='^simt: error: Race (RAW) in __shared__ memory: .*smooth.cu:11 write by thread [0-9]*, :20 read'
includes=-I$(echo "$TOOLKIT_INCLUDES" | tr ';' '\n' | head -1)

# innocent PROGRAM, guilty PROGRAM: check the program and its twin, which also computes wrong values.
innocent() {
    expect 0 "$right" env SIMT_DEVICES=1 "$1"
    absent '^simt:'
}
guilty() { expect 1 "$race" "$1"; }

# by_simtcc SIMTCC [DEFINITION]: the definition selects the twin.
by_simtcc() {
    expect 0 '' "$1" -O2 ${2:-} -o "$scratch/a b" "$foreign/smooth.cu" "$foreign/main.cpp"
    if [ -n "${2:-}" ]; then guilty "$scratch/a b"; else innocent "$scratch/a b"; fi
}

# by_cmake FOLDER NAME: find_package searches below FOLDER.
by_cmake() {
    for barrier in OFF ON; do # in one folder: the second time CMake knows the compiler
        expect 0 '' cmake -S "$foreign" -B "$scratch/cmake $2" "-DCMAKE_PREFIX_PATH=$1" \
            "-DCMAKE_CXX_COMPILER=$CXX" -DNO_BARRIER=$barrier "-DWANTED=$VERSION"
        expect 0 '' cmake --build "$scratch/cmake $2"
        [ $barrier = ON ] || innocent "$scratch/cmake $2/smooth"
        [ $barrier = ON ] || expect 0 ' 3 devices' "$scratch/cmake $2/smooth" # as SETTINGS says
    done
    guilty "$scratch/cmake $2/smooth"
}

# by_pkg_config FOLDER: the program's own Makefile calls simtcc for device code, and its compiler for the rest.
by_pkg_config() {
    command -v pkg-config >/dev/null || { echo "left out: pkg-config is not there"; return; }
    export PKG_CONFIG_PATH="$1/lib/pkgconfig"
    [ "$(pkg-config --modversion simt)" = "$VERSION" ] || bad "pkg-config has another version"
    eval "set -- $(pkg-config --cflags --libs simt)"
    expect 0 '' "$(eval "echo $(pkg-config --variable=simtcc simt)")" -c "$foreign/smooth.cu" -o "$scratch/smooth.o"
    expect 0 '' "$CXX" "$includes" "$foreign/main.cpp" "$scratch/smooth.o" "$@" -o "$scratch/pkg"
    innocent "$scratch/pkg"
}
