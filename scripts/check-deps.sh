#!/usr/bin/env bash
# Checks that a feature's dependencies come with that feature alone: the library without features stays small, and
# neither it nor the command line knows of the page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh

CORE_LIMIT=30 # packages that the library without features may have, itself included

host=$(rustc -vV | sed -n 's/^host: //p')
bad=0

# packages FEATURES TARGET: the names of the packages that are built, each once
packages() {
  cargo tree --locked --offline --edges normal,build --prefix none --format '{p}' --target "$2" --features "$1" |
    cut -d' ' -f1 | sort -u
}

# without FEATURES TARGET PATTERN: no package's name may match the pattern
without() {
  local features=$1 target=$2 pattern=$3 list found
  list=$(packages "$features" "$target")
  found=$(printf '%s\n' "$list" | grep -E "^($pattern)\$" | tr '\n' ' ' || true)
  if [ -n "$found" ]; then
    echo "error: features \"$features\" on $target bring: $found" >&2
    bad=1
  else
    echo "features \"$features\" on $target: $(printf '%s\n' "$list" | wc -l | tr -d ' ') packages, none of them $pattern"
  fi
}

PAGE='leptos.*|web-sys|js-sys|wasm-bindgen.*|plotters.*|console_error_panic_hook'
GPU='wgpu.*|naga|ash'

for target in "$host" wasm32-unknown-unknown; do
  without "" "$target" "$PAGE|$GPU|clap.*"
  count=$(packages "" "$target" | wc -l | tr -d ' ')
  if [ "$count" -gt "$CORE_LIMIT" ]; then
    echo "error: without features there are $count packages on $target, more than $CORE_LIMIT" >&2
    bad=1
  fi
done
without cli "$host" "$PAGE|$GPU"
without gpu "$host" 'leptos.*|plotters.*|clap.*|web-sys|console_error_panic_hook'
without gpu wasm32-unknown-unknown 'leptos.*|plotters.*|clap.*|console_error_panic_hook'
without cli,gpu "$host" 'leptos.*|plotters.*|web-sys|console_error_panic_hook'
without app,gpu wasm32-unknown-unknown 'clap.*|naga|ash'

exit $bad
