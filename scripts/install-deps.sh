#!/usr/bin/env bash
# install-deps.sh GROUP... -- see to it that the packages of these groups are there.
#
# Groups: build, test, soak (the same as test), bench, format.  All but format include build.
# When nothing is missing this takes no time and no network, so that every
# make target can afford to ask.  Only root gets packages installed; anyone
# else is told what to ask root for.
set -eu

# package, or package:command where another package may supply the command too, or names that a
# package has in different releases, the older one first: one|other.  The libraries themselves come
# with their -dev packages.  patch is for those who follow a tutorial to its end.
build='gcc:gcc libc6-dev make:make cmake:cmake pkg-config:pkg-config libdw-dev
       libzydis-dev patch:patch'
test='clang:clang libclang-rt-14-dev|libclang-rt-dev|libclang-rt-19-dev afl++:afl-fuzz python3:python3
      libxml2-utils:xmllint mandoc:mandoc groff:groff procps:pgrep
      g++:g++ libglib2.0-dev pigz:pigz valgrind:valgrind xz-utils:xz
      redis-server:redis-server libhiredis-dev
      zlib1g libsqlite3-0 libssl3|libssl3t64 gdb:gdb jq:jq zsh:zsh meson:meson ninja-build:ninja
      autoconf:autoconf automake:automake libtool:libtoolize
      chromium:chromium nodejs:node npm:npm'
bench='g++:g++ librapidcheck-dev python3:python3 python3-hypothesis erlang-base
       erlang-proper erlang-proper-dev valgrind:valgrind
       libre2-dev libboost-dev jq:jq gdb:gdb libcmocka-dev libgmock-dev'
format='clang-format:clang-format'

wanted() {
    local group
    for group in "$@"; do
        case $group in
        build) echo "$build" ;;
        test | soak) echo "$build $test" ;;
        bench) echo "$build $bench" ;;
        format) echo "$format" ;;
        *)
            echo "usage: install-deps.sh build|test|soak|bench|format ..." >&2
            return 2
            ;;
        esac
    done
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

is_present() {
    local package=${1%%:*} command=${1#*:} name
    if [ "$command" != "$1" ] && command -v "$command" >/dev/null; then
        return 0
    fi
    for name in ${package//|/ }; do
        ! is_installed "$name" || return 0
    done
    return 1
}

# available NAME|NAME...: the first of these that this release has.
available() {
    local name
    for name in ${1//|/ }; do
        if apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    echo "${1%%|*}"
}

list=$(wanted "$@")
if ! command -v dpkg-query >/dev/null; then
    # Nothing sensible to check: go on, and let the build say what it lacks.
    echo "install-deps.sh: not a Debian-like system; Debian's names for what is needed:" $list >&2
    exit 0
fi

missing=
for entry in $list; do
    is_present "$entry" || missing="$missing ${entry%%:*}"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    apt-get -q update # names are looked up in its lists
fi
packages=
for package in $missing; do
    packages="$packages $(available "$package")"
done

if [ "$(id -u)" != 0 ]; then
    echo "These packages are missing:$packages" >&2
    echo "Install them, then try again:" >&2
    echo "    sudo apt-get install --no-install-recommends$packages" >&2
    exit 1
fi

echo "installing:$packages"
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends $packages
