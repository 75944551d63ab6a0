#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The npm package beside the browser's other file layers: tests/bench/api.sh [OPTION OF run.js...]. The
# harness ($GLASSFS_BROWSER_BENCH, ../shared/browser-bench) is copied to out/bench/api, with the two
# adapters of tests/bench/api; its README has the workloads and the options. Prints the machine's load, then
# the table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
harness=${GLASSFS_BROWSER_BENCH:-../shared/browser-bench}
work=out/bench/api
[ -d "$harness" ] || { echo "api.sh: no harness in $harness" >&2; exit 1; }
[ -f out/api/glassfs.stamp ] || { echo "api.sh: build the preset api first" >&2; exit 1; }
mkdir -p "$work"
tar -C "$harness" --exclude=node_modules --exclude='results*' -cf - . \
    | tar -C "$work" --no-same-permissions -xf -
chmod -R u+w "$work"
cp tests/bench/api/*.js "$work/src/adapters/"
package=$PWD/out/api/glassfs
cd "$work"
[ -d node_modules ] || npm install --silent --no-audit --no-fund
node build.js
cp -r "$package" dist/glassfs
uptime
node run.js --out=table "$@"
uptime
cat table.md
