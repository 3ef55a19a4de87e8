#!/bin/sh
# Translates a file on an emulated ARM processor (aarch64) and on this machine, in float32, and compares the two.
#
#     tests/emulated_arm.sh MODEL FILE
#
# Debian and its root user are needed: qemu-user runs Python, the C library and the wheels of arm64, which are fetched
# into build/arm the first time. Kernels are compiled by the emulated machine, which takes minutes; later runs find them.
set -eu

model=$(realpath "$1") file=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..") here=$(realpath "$(dirname "$0")/..")/build/arm
packages="libc6 libstdc++6 libgcc-s1 zlib1g libssl3 libffi8 libsqlite3-0 libbz2-1.0 liblzma5 libexpat1 libuuid1
    libncursesw6 libtinfo6 libcrypt1 libdb5.3 libnsl2 libtirpc3 libreadline8
    python3.11-minimal libpython3.11-minimal libpython3.11-stdlib"

if [ ! -e "$here/.ready" ]; then
    mkdir -p "$here/debs" "$here/system" "$here/wheels" "$here/site"
    dpkg --add-architecture arm64
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends qemu-user
    (cd "$here/debs" && for name in $packages; do apt-get download -qq "$name:arm64"; done)
    for package in "$here"/debs/*.deb; do dpkg -x "$package" "$here/system"; done
    sed -n '/^dependencies = \[/,/^\]/s/^ *"\([^"]*\)",.*/\1/p' "$root/pyproject.toml" > "$here/requirements.txt"
    "$root/.venv/bin/python" -m pip download --quiet --only-binary=:all: --python-version 3.11 --implementation cp \
        --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
        --constraint "$root/constraints.txt" --requirement "$here/requirements.txt" --dest "$here/wheels"
    for wheel in "$here"/wheels/*.whl; do "$root/.venv/bin/python" -m zipfile -e "$wheel" "$here/site"; done
    touch "$here/.ready"
fi

on_arm() {
    PYTHONHOME="$here/system/usr" PYTHONPATH="$root/src:$here/site" LC_ALL=C.UTF-8 \
        qemu-aarch64 -cpu max -L "$here/system" "$here/system/usr/bin/python3.11" "$@"
}

on_arm -c 'import platform; print("compared with", platform.machine())'
on_arm -m polyhead translate "$model" --dtype float32 < "$file" > "$here/on_arm.txt"
"$root/.venv/bin/polyhead" translate "$model" --dtype float32 < "$file" | cmp - "$here/on_arm.txt"
echo "the same: $(wc -l < "$file") lines"
