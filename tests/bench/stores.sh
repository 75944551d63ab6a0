#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the page's stores do in Chromium beside the browser's own access handle
# (tests/browser/bench_stores.mjs).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/browser/prepare_stores
exec node tests/browser/bench_stores.mjs "$@"
