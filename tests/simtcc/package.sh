#!/bin/sh
# The packages: a foreign program from the .tar.gz and from the .deb, unpacked; lintian finds no error in the .deb.
. "$SOURCE/tests/simtcc/ways.sh"
build=$scratch/build

# A build for this computer's processor only is not packaged.
expect 1 'cmake --workflow --preset package' cmake -E chdir "$BUILD" cpack -B "$scratch/refused"
cd "$SOURCE" || exit 1
expect 0 '' cmake --preset package -B "$build" "-DWORKBOOK_NVCC=$NVCC" "-DCMAKE_CXX_COMPILER=$CXX"
expect 0 '' cmake --build "$build" --target simt --parallel
expect 0 'tar.gz generated' cmake -E chdir "$build" cpack -G TGZ
mkdir "$scratch/tar"
tar xzf "$build"/simtcc-"$VERSION"-*.tar.gz -C "$scratch/tar" --strip-components 1 || bad "no archive"
by_simtcc "$scratch/tar/bin/simtcc"

if command -v dpkg-deb >/dev/null; then
    expect 0 'deb generated' cmake -E chdir "$build" cpack -G DEB
    deb=$(ls "$build"/simtcc_"$VERSION"_*.deb)
    dpkg-deb -x "$deb" "$scratch/root" || bad "no .deb"
    expect 0 '^ *Depends: g++, libc6-dev$' dpkg-deb -I "$deb"
    by_simtcc "$scratch/root/usr/bin/simtcc"
    by_cmake "$scratch/root/usr" deb
    by_pkg_config "$scratch/root/usr"
else
    echo "left out: dpkg-deb is not there"
fi
if command -v lintian >/dev/null && [ -n "${deb:-}" ]; then
    lintian "$deb" 2>&1 | grep '^E: ' && bad "lintian finds errors"
else
    echo "left out: lintian is not there"
fi
# Nothing in it needs more than the baseline of this architecture.
if command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    objdump -d "$scratch/tar/lib/libsimt.a" | grep -m 1 '%[yz]mm' && bad "the packed machine needs AVX"
fi
finish
