#!/usr/bin/env bash
# Runs every check and test, and stops at the first that fails. scripts/setup.sh test comes first (make test does both).
#
#     scripts/test.sh          everything
#     scripts/test.sh lint     the checks alone
#     scripts/test.sh rust     cargo's tests alone
#     scripts/test.sh export   those of the exported scripts alone
#     scripts/test.sh e2e      the browser tests alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

what=${1:-all}
case $what in
  all | lint | rust | export | e2e) ;;
  *) die "usage: scripts/test.sh [lint|rust|export|e2e]" ;;
esac

# A missing GPU driver is a failure in continuous integration, and a skipped test with a message elsewhere.
if [ -n "${CI:-}" ] && [ "${CI:-}" != false ]; then export NORMSCOPE_REQUIRE_GPU=1; fi
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

CARGO=(--locked --offline)
WASM=(--target wasm32-unknown-unknown)
current=''
times=''

# What failed is the last thing said.
finish() {
  local status=$?
  if [ "$status" != 0 ] && [ -n "$current" ]; then error "the test step \"$current\" failed (exit status $status)"; fi
}
trap finish EXIT

# check NAME USUAL COMMAND...: one step, its output as it comes
check() {
  local from=$SECONDS
  current=$1
  head_line "$1 (usually $2)"
  shift 2
  "$@"
  times+=$(printf '%6d s  %s' $((SECONDS - from)) "$current")$'\n'
  current=''
}

show_times() {
  [ -n "$times" ] || return 0
  head_line "seconds taken so far"
  printf '%s' "$times"
}

clippy() { cargo clippy "${CARGO[@]}" "$@" -- -D warnings; }

lint() {
  check "formatting" "2 s" cargo fmt --all --check
  check "dependencies of each feature" "2 s" scripts/check-deps.sh
  check "clippy, no features" "20 s" clippy --all-targets
  check "clippy, cli" "20 s" clippy --all-targets --features cli
  check "clippy, gpu" "1 min" clippy --all-targets --features gpu
  check "clippy, cli and gpu" "10 s" clippy --all-targets --features cli,gpu
  check "clippy, the page on wasm32" "1 min" clippy "${WASM[@]}" --features app,gpu --lib --bins
  check "documentation" "20 s" env RUSTDOCFLAGS="-D warnings" cargo doc "${CARGO[@]}" --no-deps --features cli,gpu
  check "documentation, the page on wasm32" "20 s" \
    env RUSTDOCFLAGS="-D warnings" cargo doc "${CARGO[@]}" --no-deps "${WASM[@]}" --features app,gpu
}

page() {
  check "the release page" "3 min the first time" scripts/build.sh
  check "the page's size" "1 s" scripts/check-size.sh
}

rust_tests() {
  check "Rust tests" "6 min the first time, most of it compiling" cargo test "${CARGO[@]}" --features cli,gpu
}

# A missing JAX is a failure in continuous integration, and skipped tests with a message elsewhere.
export_tests() {
  local python=$NORMSCOPE_JAX_DIR/bin/python
  if [ -x "$python" ]; then
    check "the exported scripts" "30 s" "$python" export/test_scripts.py
  elif [ -n "${CI:-}" ] && [ "${CI:-}" != false ]; then
    die "JAX is missing: $(cat "$NORMSCOPE_JAX_DIR.failed" 2>/dev/null || echo "run scripts/setup.sh test")"
  else
    say "the exported scripts are not tested, for JAX is missing: scripts/setup.sh test"
  fi
}

browser_tests() {
  local files=(e2e/*.test.mjs) reporter=()
  if [ ! -f "${files[0]}" ]; then
    say "there are no browser tests yet (e2e/*.test.mjs)"
    return 0
  fi
  if [ -n "${CI:-}" ]; then reporter=(--test-reporter=tap); fi
  # One file at a time, since each has a browser that computes on the CPU. A browser left open by a failed test must not
  # keep the runner waiting.
  check "browser tests" "3 min" node --test --test-concurrency=1 --test-force-exit ${reporter[@]+"${reporter[@]}"} "${files[@]}"
}

# (No `lint && ...` here: bash would not stop at a failure inside.)
case $what in
  lint)
    lint
    show_times
    ;;
  rust) rust_tests ;;
  export) export_tests ;;
  e2e)
    page
    browser_tests
    ;;
  all)
    lint
    page
    rust_tests
    export_tests
    # Said here, since the test runner's own summary comes last.
    show_times
    browser_tests
    ;;
esac
