#!/usr/bin/env bash
# Run a nox session with Debian's Python for aarch64, emulated: aarch64.sh SESSION [ARGS ...]
#
# Needs Debian or Ubuntu on x86-64, root, the packages qemu-user-static and
# binfmt-support, and apt's lists for arm64 (dpkg --add-architecture arm64; apt-get update).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/aarch64 root=$PWD/build/aarch64/root
if [ ! -x "$root/usr/bin/gcc" ]; then
    mkdir -p "$folder/debs/partial" "$root"
    : >"$folder/status" # Nothing is installed there, so that apt gets all that is needed.
    apt-get -qq -y --download-only --no-install-recommends \
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State::status="$folder/status" -o Dir::Cache::archives="$folder/debs/" \
        install bash coreutils sed grep git gcc libc6-dev python3 python3-venv
    for deb in "$folder"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
fi
rm -rf "$root/project"
mkdir -p "$root"/{proc,dev,tmp,root,etc,project}
cp -r /etc/ssl /etc/resolv.conf /etc/hosts "$root/etc/"
if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$root/etc/"; fi
git archive HEAD | tar -x -C "$root/project"

# Emulated processes start slowly.
export PY_DISCOVERY_TIMEOUT=300 CC=gcc
# The mounts end with the process.
unshare --mount bash -c '
    mount --bind /proc "$1/proc" && mount --rbind /dev "$1/dev" && cd "$1" &&
    export HOME=/root TMPDIR=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin && exec chroot . bash /project/.ci/run -s "${@:2}"
' - "$root" "$@"
