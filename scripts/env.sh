# shellcheck shell=bash disable=SC2034
# Puts Normscope's tools on PATH. To be sourced, from bash or zsh:
#
#     . scripts/env.sh
#
# After that `trunk serve`, `cargo test` and `cargo clippy --target wasm32-unknown-unknown` work as usual.
# `scripts/setup.sh` installs what this file looks for; `make` needs neither done by hand.
#
# What it sets (each may be set beforehand and is then kept):
#   NORMSCOPE_CACHE   folder of tools and build output   ($XDG_CACHE_HOME/normscope, else ~/.cache/normscope)
#   NORMSCOPE_RUST    `path`: the compiler on PATH; `debian`: Debian's; unset: the first of them that has the wasm target
#   CARGO_TARGET_DIR  in the cache, one for each compiler
#   CHROMIUM          the browser of the tests

_ns_here=${BASH_SOURCE[0]:-$0}
NORMSCOPE_ROOT=$(CDPATH='' cd -- "$(dirname -- "$_ns_here")/.." && pwd -P)
NORMSCOPE_CACHE=${NORMSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/normscope}
export NORMSCOPE_ROOT NORMSCOPE_CACHE

# The versions of all tools, in one place or read from the file that fixes them.
NORMSCOPE_TRUNK_VERSION=0.21.14
NORMSCOPE_BINDGEN_VERSION=$(awk -F'"' '$0 == "name = \"wasm-bindgen\"" { getline; print $2; exit }' "$NORMSCOPE_ROOT/Cargo.lock" 2>/dev/null || true)
NORMSCOPE_BINARYEN_VERSION=$(sed -n 's/.*"binaryen": *"\([0-9]*\).*/\1/p' "$NORMSCOPE_ROOT/e2e/package.json" | head -n 1)
NORMSCOPE_NPM_KEY=$(cksum <"$NORMSCOPE_ROOT/e2e/package-lock.json" | cut -d' ' -f1)
NORMSCOPE_PEERS_KEY=$(cksum <"$NORMSCOPE_ROOT/bench/package-lock.json" | cut -d' ' -f1)
NORMSCOPE_JAX_VERSION=$(sed -n 's/^jax==//p' "$NORMSCOPE_ROOT/bench/requirements.txt")

NORMSCOPE_TRUNK_DIR=$NORMSCOPE_CACHE/trunk-$NORMSCOPE_TRUNK_VERSION
NORMSCOPE_BINDGEN_DIR=$NORMSCOPE_CACHE/wasm-bindgen-$NORMSCOPE_BINDGEN_VERSION
NORMSCOPE_NPM_DIR=$NORMSCOPE_CACHE/npm-$NORMSCOPE_NPM_KEY
NORMSCOPE_PEERS_DIR=$NORMSCOPE_CACHE/bench-npm-$NORMSCOPE_PEERS_KEY
NORMSCOPE_JAX_DIR=$NORMSCOPE_CACHE/bench-jax-$NORMSCOPE_JAX_VERSION
NORMSCOPE_DEBIAN_BIN=$NORMSCOPE_CACHE/debian-rust/bin
export NORMSCOPE_JAX_DIR

# _ns_path_without DIR: PATH without that folder
_ns_path_without() {
  printf '%s\n' "$PATH" | awk -v RS=: -v ORS= -v d="$1" '{ sub(/\n$/, "") } $0 != d { print sep $0; sep = ":" }'
}

# _ns_path_front DIR: moves that folder to the front of PATH
_ns_path_front() {
  PATH=$1:$(_ns_path_without "$1")
}

# _ns_has_wasm RUSTC: that compiler runs and has a standard library for wasm32-unknown-unknown
_ns_has_wasm() {
  _ns_lib=$("$1" --print target-libdir --target wasm32-unknown-unknown 2>/dev/null) &&
    [ -n "$(find "$_ns_lib" -name 'libstd-*.rlib' 2>/dev/null)" ]
}

# Debian's compiler, when chosen, is reached through links to its five programs alone: with all of /usr/bin in front,
# other tools of the user's PATH would change too. `cargo fmt` stays the one on PATH (Debian's packages have none).
_ns_use_debian() {
  mkdir -p "$NORMSCOPE_DEBIAN_BIN"
  for _ns_tool in cargo rustc rustdoc cargo-clippy clippy-driver; do
    if [ -x "/usr/bin/$_ns_tool" ]; then ln -sf "/usr/bin/$_ns_tool" "$NORMSCOPE_DEBIAN_BIN/$_ns_tool"; fi
  done
  _ns_path_front "$NORMSCOPE_DEBIAN_BIN"
}

# A rustup installed a moment ago is not on PATH yet.
if [ -d "${CARGO_HOME:-$HOME/.cargo}/bin" ] && ! command -v cargo >/dev/null 2>&1; then
  PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
fi

PATH=$(_ns_path_without "$NORMSCOPE_DEBIAN_BIN")
case ${NORMSCOPE_RUST:-} in
  path) ;;
  debian) _ns_use_debian ;;
  *) if ! _ns_has_wasm rustc && _ns_has_wasm /usr/bin/rustc; then _ns_use_debian; fi ;;
esac
# zsh and bash remember where they found a program.
hash -r

_ns_path_front "$NORMSCOPE_NPM_DIR/bin"
_ns_path_front "$NORMSCOPE_BINDGEN_DIR/bin"
_ns_path_front "$NORMSCOPE_TRUNK_DIR/bin"
export PATH

# Build output of all checkouts is shared, so that a second clone compiles only the package itself. Cargo tells two
# checkouts of a package apart by time stamps alone and could take one's output for the other's, so the package gets a
# compiler wrapper named after its folder: cargo keeps the output of different wrappers apart. (Dependencies are not
# compiled through it.) Clippy has its own wrapper, and does the same by the folder of its configuration.
if [ -z "${CARGO_TARGET_DIR:-}" ] || [ "${CARGO_TARGET_DIR:-}" = "${NORMSCOPE_TARGET_DIR:-}" ]; then
  _ns_rustc=$(rustc -vV 2>/dev/null || echo 'release: none')
  NORMSCOPE_TARGET_DIR=$NORMSCOPE_CACHE/target/$(printf '%s\n' "$_ns_rustc" | sed -n 's/^release: //p')-$(printf '%s' "$_ns_rustc" | cksum | cut -d' ' -f1)
  CARGO_TARGET_DIR=$NORMSCOPE_TARGET_DIR
  export CARGO_TARGET_DIR NORMSCOPE_TARGET_DIR
  if [ -z "${RUSTC_WORKSPACE_WRAPPER:-}" ] || [ "${RUSTC_WORKSPACE_WRAPPER:-}" = "${NORMSCOPE_WRAPPER:-}" ]; then
    NORMSCOPE_WRAPPER=$NORMSCOPE_CACHE/checkouts/$(printf '%s' "$NORMSCOPE_ROOT" | cksum | cut -d' ' -f1)/rustc
    if [ ! -x "$NORMSCOPE_WRAPPER" ]; then
      mkdir -p "${NORMSCOPE_WRAPPER%/*}"
      printf '#!/bin/sh\nexec "$@"\n' >"$NORMSCOPE_WRAPPER"
      chmod +x "$NORMSCOPE_WRAPPER"
    fi
    RUSTC_WORKSPACE_WRAPPER=$NORMSCOPE_WRAPPER
    CLIPPY_CONF_DIR=$NORMSCOPE_ROOT
    export RUSTC_WORKSPACE_WRAPPER NORMSCOPE_WRAPPER CLIPPY_CONF_DIR
  fi
fi

if [ -z "${CHROMIUM:-}" ]; then
  for _ns_tool in chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    CHROMIUM=$(command -v "$_ns_tool" 2>/dev/null) && break
  done
fi
if [ -n "${CHROMIUM:-}" ]; then export CHROMIUM; else unset CHROMIUM; fi

unset -v _ns_here _ns_lib _ns_tool _ns_rustc
