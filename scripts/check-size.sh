#!/usr/bin/env bash
# Fails when the page's WebAssembly, after wasm-opt and gzipped, has grown past its budget.
#
#     scripts/check-size.sh [FILE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BUDGET=$((500 * 1024))

file=${1:-}
if [ -z "$file" ]; then
  files=(dist/*_bg.wasm)
  if [ "${#files[@]}" != 1 ] || [ ! -f "${files[0]}" ]; then
    echo "error: dist/ has no WebAssembly file, or several: run make build" >&2
    exit 1
  fi
  file=${files[0]}
fi
raw=$(($(wc -c <"$file")))
size=$(($(gzip -9 -c "$file" | wc -c)))
echo "$file: $size bytes gzipped ($((size / 1024)) KiB of $((BUDGET / 1024)) KiB), $raw bytes as it is"
if [ "$size" -gt "$BUDGET" ]; then
  echo "error: that is $((size - BUDGET)) bytes over the budget of $BUDGET" >&2
  exit 1
fi
