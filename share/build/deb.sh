#!/bin/sh
# Makes Debian packages of an installed tree: deb.sh ROOT VERSION LICENSE OUT. ROOT is what `make install DESTDIR=ROOT
# prefix=/usr` made; OUT gets tritcc, libtritcc0 and libtritcc-dev. DEBFULLNAME and DEBEMAIL name the maintainer,
# SOURCE_DATE_EPOCH the time.
set -eu
root=$1 version=$2 license=$3 out=$4
arch=$(dpkg --print-architecture)
epoch=${SOURCE_DATE_EPOCH:-$(date +%s)}
maintainer="${DEBFULLNAME:-The tritcc authors} <${DEBEMAIL:-tritcc@packages.debian.org}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the files of a package need, by dpkg-shlibdeps, which reads debian/control of a source tree.
depends_of() {
    mkdir -p "$work/source/debian"
    printf 'Source: tritcc\n\nPackage: x\nArchitecture: any\n' >"$work/source/debian/control"
    (cd "$work/source" && dpkg-shlibdeps -O "$@" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

# documents PACKAGE: copyright and changelog
documents() {
    doc=$work/$1/usr/share/doc/$1
    mkdir -p "$doc"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: tritcc\n\n'
        printf 'Files: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' "$license")"
        sed -n '/^Permission/,$p' "$license" | sed 's/^$/./; s/^/ /'
    } >"$doc/copyright"
    {
        printf 'tritcc (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
        printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -d "@$epoch" '+%a, %d %b %Y %H:%M:%S +0000')"
    } | gzip -9n >"$doc/changelog.gz"
}

# package NAME SECTION DEPENDS SUMMARY: the rest of its description comes from the standard input
package() {
    folder=$work/$1
    documents "$1"
    find "$folder/usr/share/man" -type f -exec gzip -9n {} + 2>/dev/null || :
    find "$folder/usr/share/man" -type l 2>/dev/null | while read -r link; do
        ln -s "$(readlink "$link").gz" "$link.gz" && rm "$link"
    done
    mkdir -p "$folder/DEBIAN"
    {
        printf 'Package: %s\nSource: tritcc\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$1" "$version" "$arch" "$maintainer"
        printf 'Installed-Size: %s\nDepends: %s\nSection: %s\nPriority: optional\nDescription: %s\n' \
            "$(du -sk --exclude=DEBIAN "$folder" | cut -f1)" "$3" "$2" "$4"
        sed 's/^/ /'
    } >"$folder/DEBIAN/control"
    (cd "$folder" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    find "$folder" -exec touch -h -d "@$epoch" {} +
    find "$folder" -type d -exec chmod 755 {} +
    SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zxz -z1 --build "$folder" "$out/$1_${version}_$arch.deb"
}

# take PACKAGE PATH...: moves what is installed to the package
take() {
    to=$work/$1
    shift
    for path; do
        mkdir -p "$to/$(dirname "$path")"
        mv "$root/$path" "$to/$path"
    done
}

mkdir -p "$out"
take libtritcc0 usr/lib/libtritcc.so.0
take libtritcc-dev usr/lib/libtritcc.so usr/lib/pkgconfig usr/lib/cmake usr/include usr/share/man/man3
take tritcc usr/bin usr/share/man/man1 usr/share/tritcc usr/share/bash-completion usr/share/zsh usr/share/doc/tritcc
chmod 644 "$work/libtritcc0/usr/lib/libtritcc.so.0"
mv "$work/tritcc/usr/share/zsh/site-functions" "$work/tritcc/usr/share/zsh/vendor-completions"
# The archive is left out: it links with the archives of LLVM that it was built with. The file for pkg-config is the same
# for all architectures without their names.
sed -i '/^Libs.private/d' "$work/libtritcc-dev/usr/lib/pkgconfig/tritcc.pc"
mv "$work/libtritcc-dev/usr/lib/pkgconfig" "$work/libtritcc-dev/usr/share/pkgconfig"
# Programs at a fixed address start in half the time.
mkdir -p "$work/tritcc/usr/share/lintian/overrides"
echo "tritcc: hardening-no-pie [usr/bin/tritcc]" >"$work/tritcc/usr/share/lintian/overrides/tritcc"
mkdir -p "$work/libtritcc0/DEBIAN"
echo "activate-noawait ldconfig" >"$work/libtritcc0/DEBIAN/triggers"
echo "libtritcc 0 libtritcc0 (>= $version)" >"$work/libtritcc0/DEBIAN/shlibs"

needs=$(depends_of "$work/libtritcc0/usr/lib/libtritcc.so.0")
package libtritcc0 libs "$needs" "compiler for Triton kernels, as a library" <<'END'
The functions of tritcc, an ahead-of-time compiler for Triton kernels, for
other programs: options and sources in, outputs of any stage and diagnostics
out, in several threads at a time.
END
package libtritcc-dev libdevel "libtritcc0 (= $version)" "compiler for Triton kernels, development files" <<'END'
The header, and files for pkg-config and CMake of libtritcc, the
library of tritcc, an ahead-of-time compiler for Triton kernels.
END
needs=$(depends_of "$work/tritcc/usr/bin/tritcc" "$work/tritcc/usr/bin/tritrun")
package tritcc devel "$needs" "ahead-of-time compiler for Triton kernels" <<'END'
tritcc compiles unmodified Triton kernels the way a C compiler compiles C: to
any stage, or to an object with a C header, for NVIDIA and AMD GPUs, OpenCL
devices, Intel GPUs and host processors. Neither Python nor a GPU is needed.
tritrun runs and times kernels, and measures configurations.
END
