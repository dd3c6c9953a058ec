#!/bin/sh
# A newcomer's walk: README's commands, top to bottom and word by word, in a bare Debian system that has nothing but git
# (mmdebstrap, as root; takes the network and a quarter of an hour). usage: walk.sh [README]
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
readme=${1:-$source/README.md}
command -v mmdebstrap >/dev/null || { echo "walk.sh: install Debian's package 'mmdebstrap'" >&2; exit 1; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=minbase --include=git,ca-certificates bookworm "$root"
cp /etc/resolv.conf "$root/etc/"
git clone -q --no-hardlinks "file://$source" "$root/tritcc"
# what stands indented, but for source that belongs into a file of the reader's; pip and python want an environment
sed -nE 's/^    ((\.\/configure|make|cd|tritcc|tritrun|cc) .*)/\1/p' "$readme" >"$root/commands"
[ "$(wc -l <"$root/commands")" -ge 10 ]
{
    echo 'set -e; cd /tritcc; export LC_ALL=C.UTF-8'
    while IFS= read -r line; do
        printf 'echo "\\$" %s\n%s\n' "'$(printf %s "$line" | sed "s/'/'\\\\''/g")'" "$line"
    done <"$root/commands"
} >"$root/walk"
trap 'umount "$root/proc" "$root/sys" "$root/dev/pts"; rm -rf "$root"' EXIT
mkdir -p "$root/dev/pts" && mount -t devpts -o ptmxmode=666 devpts "$root/dev/pts" && ln -sf pts/ptmx "$root/dev/ptmx"
mount -t proc proc "$root/proc" && mount -t sysfs sysfs "$root/sys" # OpenCL devices look there for the processors
chroot "$root" bash -e /walk >"$root/log" 2>&1 </dev/null ||
    { grep -A12 '^not ok' "$root/log" || tail -n 40 "$root/log"; exit 1; }
tail -n 5 "$root/log"
echo "$(wc -l <"$root/commands") commands of README work in a bare system"
