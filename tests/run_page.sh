#!/usr/bin/env bash
# run_page.sh -- pages for browsers in a real one: Chromium, driven by Playwright.
#
# ACCEPT=1 stores pictures of timelines anew, in tests/page/pictures.
# ctest: long
set -eu

skip() {
    echo "skipped: $*"
    exit 77
}

CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "there is no Chromium"
command -v node >/dev/null && command -v npm >/dev/null || skip "there is no npm"

# What npm brings stays in the build folder, and is fetched anew when another version is wanted.
modules=$BUILD/page-tests
if ! cmp -s "$SOURCE/tests/page/package-lock.json" "$modules/package-lock.json"; then
    rm -rf "$modules"
    mkdir -p "$modules"
    cp "$SOURCE/tests/page/package.json" "$modules"
    cp "$SOURCE/tests/page/package-lock.json" "$modules"
    (cd "$modules" &&
        timeout 120 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || {
        cat "$modules/npm.log"
        rm -rf "$modules"
        skip "npm could not get playwright-core"
    }
fi

export CHROMIUM PLAYWRIGHT=$modules/node_modules/playwright-core/index.mjs
exec timeout 600 node "$SOURCE/tests/page/test.mjs" "$@"
