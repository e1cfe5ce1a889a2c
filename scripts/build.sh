#!/usr/bin/env bash
# Builds the release page into dist/. Does nothing where neither a source file nor a tool has changed since.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

STAMP=dist/.built-from

# inputs: a checksum of everything that the page depends on
inputs() {
  {
    rustc -vV
    printf '%s\n' "$NORMSCOPE_TRUNK_VERSION" "$NORMSCOPE_BINDGEN_VERSION" "$NORMSCOPE_BINARYEN_VERSION" "${RUSTFLAGS:-}"
    # Names are free of blanks here; the order has to be the same every time.
    find . \( -name .git -o -name target -o -name 'dist*' -o -name node_modules -o -path ./e2e -o -path ./tests -o \
      -path ./scripts -o -path ./bench -o -path ./.ci \) -prune -o -type f ! -name '*.md' -print | LC_ALL=C sort | xargs cksum
    cksum scripts/addresses.mjs scripts/finish-page.mjs scripts/shrink-wasm.mjs scripts/order-functions.mjs
  } | cksum
}

# bundle: one at a time, as checkouts share the folder of build output
bundle() {
  if have flock; then
    mkdir -p "$CARGO_TARGET_DIR"
    flock "$CARGO_TARGET_DIR/normscope-page.lock" trunk build --release --offline --locked
  else
    trunk build --release --offline --locked
  fi
}

have trunk || die "Trunk is missing: run scripts/setup.sh build"
now=$(inputs)
if [ "$(cat "$STAMP" 2>/dev/null)" = "$now" ]; then
  say "-- the page in dist/ is up to date"
else
  step "the release page" "3 min the first time, 1 min after a change" bundle
  printf '%s\n' "$now" >"$STAMP"
fi
