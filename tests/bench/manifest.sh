#!/bin/bash
# SPDX-License-Identifier: MIT
#
# glassfs manifest in node (WebAssembly) against the native program, on an image of 50,000 files and 2 GiB
# made by mkfs.btrfs --rootdir. Each runs $RUNS times (3), in turn; the shortest counts. Prints seconds and
# the ratio.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
native=${GLASSFS:-out/release/core/cli/glassfs}
node=${GLASSFS_NODE:-out/node/core/cli/glassfs}
runs=${RUNS:-3}
[ -x "$native" ] || { echo "not built: cmake --workflow --preset release" >&2; exit 2; }
[ -e "$node" ] || { echo "not built: . ./emsdk.env && cmake --workflow --preset node" >&2; exit 2; }
mkdir -p "${BENCH_DIR:-out/scratch}"
dir=$(mktemp -d "${BENCH_DIR:-out/scratch}/bench-manifest.XXXXXX")
trap 'case $dir in */bench-manifest.*) rm -rf "$dir" ;; esac' EXIT

echo "making an image of 50,000 files and 2 GiB"
python3 - "$dir/files" <<'PY'
import os, random, sys
top = sys.argv[1]
rng = random.Random(1)
noise = rng.randbytes(16 << 20)
for i in range(50_000):
    directory = f"{top}/{i // 100}"
    if i % 100 == 0:
        os.makedirs(directory)
    size = min(int(rng.expovariate(1) * 42_000), 1 << 20)
    at = rng.randrange(len(noise) - size)
    with open(f"{directory}/{i}", "wb") as f:
        f.write(noise[at:at + size])
PY
truncate -s 4G "$dir/image"
mkfs.btrfs -q --rootdir "$dir/files" "$dir/image"

declare -A best
time_of() {
    local name=$1 begin end took
    shift
    begin=$(date +%s.%N)
    "$@" >"$dir/$name.jsonl"
    end=$(date +%s.%N)
    took=$(awk "BEGIN { print $end - $begin }")
    printf '  %-8s %.2f s\n' "$name" "$took"
    if [ -z "${best[$name]:-}" ] || awk "BEGIN { exit !($took < ${best[$name]}) }"; then best[$name]=$took; fi
}
for ((run = 1; run <= runs; run++)); do
    echo "run $run of $runs"
    time_of native "$native" manifest "$dir/image"
    time_of node "$node" manifest "$dir/image"
    time_of single "$native" manifest "$dir/image" --jobs 1
    cmp "$dir/native.jsonl" "$dir/node.jsonl"
done
awk "BEGIN { printf \"node / native: %.2f\\nnode / native with one thread: %.2f\\n\",
    ${best[node]} / ${best[native]}, ${best[node]} / ${best[single]} }"
