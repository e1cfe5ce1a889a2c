#!/usr/bin/env bash
# Installs what is missing for building or testing Normscope; what is there already is not touched.
#
#     scripts/setup.sh build    for `make serve` and `make build`
#     scripts/setup.sh test     also for `make test`
#
# Tools go to the cache folder that scripts/env.sh names. System packages are installed only as root and only with apt;
# otherwise the command to run is printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

mode=${1:-build}
case $mode in
  build | test) ;;
  *) die "usage: scripts/setup.sh build|test" ;;
esac

TARGET=wasm32-unknown-unknown
RUST_VERSION=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)
RUST_VERSION=${RUST_VERSION:-1.85}
NODE_VERSION=20.14
PYTHON_VERSION=3.11

did=0 # becomes 1 when a step had to do something
packages=()

# ---------------------------------------------------------------------------------------------------------- compiler

# rust_fits RUSTC: it runs and is not too old
rust_fits() {
  local version
  version=$("$1" -V 2>/dev/null) && version_at_least "$(printf '%s' "$version" | cut -d' ' -f2)" "$RUST_VERSION"
}

# rust_ready RUSTC: it can build the page
rust_ready() { rust_fits "$1" && _ns_has_wasm "$1"; }

rustup_add_target() {
  # Without its server rustup would try again for a long while.
  RUSTUP_MAX_RETRIES=0 with_timeout 180 rustup target add "$TARGET"
}

# debian_candidate: the version of Debian's newest compiler package, nothing where it is too old or there is no apt
debian_candidate() {
  local version
  have apt-get || return 1
  version=$(apt-cache policy rustc-web 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9.]*\).*/\1/p')
  if [ -z "$version" ] && [ "$(id -u)" = 0 ]; then
    apt_update >/dev/null 2>&1 || return 1
    version=$(apt-cache policy rustc-web 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9.]*\).*/\1/p')
  fi
  [ -n "$version" ] && version_at_least "$version" "$RUST_VERSION"
}

# choose_rust: sets `rust` to `ready`, or to `debian` where Debian's packages have to bring the compiler
choose_rust() {
  if [ "${NORMSCOPE_RUST:-}" != debian ]; then
    if rust_ready rustc && { ! uses_debian || std_ready; }; then
      rust=ready
      return
    fi
    if have rustup && ! uses_debian && rust_fits rustc; then
      did=1
      say "-- Rust's $TARGET target, from rustup (usually 20 s) ..."
      if rustup_add_target >"$NORMSCOPE_LOGS/rustup.log" 2>&1 </dev/null && rust_ready rustc; then
        say "   Rust's $TARGET target: done"
        rust=ready
        return
      fi
      say "   rustup could not bring it ($(grep -m 1 '^error' "$NORMSCOPE_LOGS/rustup.log" | cut -c 1-90 || true)...), so another way is tried"
    fi
    [ "${NORMSCOPE_RUST:-}" != path ] || die "NORMSCOPE_RUST=path, but the compiler on PATH is missing, older than $RUST_VERSION, or lacks the $TARGET target"
  fi
  if debian_candidate; then
    rust=debian
    return
  fi
  error "no Rust compiler of version $RUST_VERSION or later with the $TARGET target was found."
  if have rustup; then
    die "run: rustup update stable && rustup target add $TARGET"
  else
    die "install rustup (see rustup.rs), then run: rustup target add $TARGET"
  fi
}

# std_folder: where Debian's compiler looks for the target's standard library
std_folder() { printf '%s/lib/rustlib/%s/lib' "$(/usr/bin/rustc --print sysroot)" "$TARGET"; }

# std_ready: it is there, and not one that we built for an earlier compiler
std_ready() {
  local stamp
  stamp=$(std_folder)/normscope-built-for
  _ns_has_wasm /usr/bin/rustc && { [ ! -f "$stamp" ] || [ "$(cat "$stamp")" = "$(/usr/bin/rustc -vV)" ]; }
}

# build_std: Debian ships the library's source, not its wasm build. The embedded bitcode is what `lto = true` reads.
build_std() {
  local work=$NORMSCOPE_CACHE/work-std lib rlib version
  lib=$(std_folder)
  rm -rf "$work" || return 1
  mkdir -p "$work/src" || return 1
  printf '[package]\nname = "stdbuilder"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n' >"$work/Cargo.toml"
  : >"$work/src/lib.rs"
  (
    cd "$work" || exit 1
    unset RUSTFLAGS RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR
    PATH=$NORMSCOPE_DEBIAN_BIN:$PATH CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=-Cembed-bitcode=yes RUSTC_BOOTSTRAP=1 \
      /usr/bin/cargo build --release -Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro --target "$TARGET" \
      --target-dir "$work/target"
  ) || return 1
  mkdir -p "$work/lib" || return 1
  for rlib in "$work/target/$TARGET/release/deps"/*.rlib; do
    case $rlib in
      */libstdbuilder-*) ;;
      *) cp "$rlib" "$work/lib/" || return 1 ;;
    esac
  done
  /usr/bin/rustc -vV >"$work/lib/normscope-built-for"
  if ! { mkdir -p "${lib%/*}" && rm -rf "$lib" && cp -R "$work/lib" "$lib.part" && mv "$lib.part" "$lib"; }; then
    echo "No right to write to ${lib%/*}: run this script once as root"
    return 1
  fi
  # Cargo does not notice a new standard library, so what was compiled with the old one has to go.
  version=$(/usr/bin/rustc -vV | sed -n 's/^release: //p')
  rm -rf "$NORMSCOPE_CACHE/target/$version"-*/"$TARGET" "$work"
}

# ---------------------------------------------------------------------------------------------------- system packages

apt_updated=0
apt_update() {
  [ "$apt_updated" = 1 ] || apt-get -o DPkg::Lock::Timeout=300 update || return 1
  apt_updated=1
}

apt_install() {
  apt_update && DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

# want COMMAND-OR-TEST PACKAGE...: notes packages to install where the test fails
want() {
  local test=$1
  shift
  if ! "$test"; then packages+=("$@"); fi
}

has_linker() { have cc; }
has_debian_rust() {
  rust_fits /usr/bin/rustc && [ -x /usr/bin/cargo ] && [ -x "$(readlink -f /usr/bin/rust-lld)" ] &&
    { std_ready || [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library" ]; }
}
# debian_rust_packages: the compiler, its library's source, and the linker of the same LLVM
debian_rust_packages() {
  printf 'rustc-web cargo-web rust-web-src rust-web-llvm '
  apt-cache depends rust-web-llvm | sed -n 's/^ *Depends: llvm-\([0-9]*\)$/lld-\1/p'
}
has_debian_clippy() { [ -x /usr/bin/cargo-clippy ] && [ -x /usr/bin/clippy-driver ]; }
has_browser() { [ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ]; }
has_fonts() { ! have fc-list || [ -n "$(fc-list 2>/dev/null | head -n 1)" ]; }
# (Not grep -q: it would end before ldconfig, which then counts as failed.)
has_vulkan_loader() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null; }
has_vulkan_driver() {
  [ -n "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ] ||
    [ -n "$(find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d -name '*.json' 2>/dev/null | head -n 1)" ]
}

# list_packages: what the system lacks, in Debian's names
list_packages() {
  if [ "$rust" = debian ]; then
    # shellcheck disable=SC2046 # a list of words
    want has_debian_rust $(debian_rust_packages)
  fi
  if [ "$mode" = test ]; then
    if [ "$rust" = debian ] || uses_debian; then want has_debian_clippy rust-web-clippy; fi
    if ! has_browser; then packages+=(chromium fonts-liberation); elif have apt-get; then want has_fonts fonts-liberation; fi
    if [ "$(uname)" = Linux ]; then
      want has_vulkan_loader libvulkan1
      want has_vulkan_driver mesa-vulkan-drivers
    fi
  fi
}

uses_debian() { [ "$(command -v cargo)" = "$NORMSCOPE_DEBIAN_BIN/cargo" ]; }

# may_install: checks that the packages can be installed here, else says what to run
may_install() {
  if have apt-get && [ "$(id -u)" = 0 ]; then return 0; fi
  if ! has_linker; then packages+=(gcc libc6-dev); fi
  if have apt-get; then
    error "system packages are missing, and only root can install them. Run:"
    say "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages[*]}" >&2
  else
    error "this is missing (in the names of Debian's packages; there is no apt here): ${packages[*]}"
    say "  Install it in your system's way. An existing Chrome or Chromium is named by CHROMIUM=/path/to/it." >&2
  fi
  exit 1
}

# --------------------------------------------------------------------------------------------------------- Rust tools

# tool_version COMMAND: the number that `COMMAND --version` prints
tool_version() { "$1" --version 2>/dev/null | sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p'; }

has_trunk() { case $(tool_version trunk) in 0.21.*) ;; *) false ;; esac }
has_bindgen() { [ "$(tool_version wasm-bindgen)" = "$NORMSCOPE_BINDGEN_VERSION" ]; }
has_wasm_opt() { [ "$(tool_version wasm-opt)" = "$NORMSCOPE_BINARYEN_VERSION" ]; }

# install_tool FOLDER NAME VERSION OPTION...: builds a tool quickly rather than for speed (as published, these take five
# times as long). What two tools have in common is compiled once.
install_tool() {
  local dir=$1 name=$2 version=$3
  shift 3
  (
    cd "$NORMSCOPE_CACHE" || exit 1
    unset RUSTC_WORKSPACE_WRAPPER
    # shellcheck disable=SC2030 # for these builds alone
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
      CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_PANIC=abort CARGO_TARGET_DIR=$NORMSCOPE_CACHE/work-tools
    rm -rf "$dir.part"
    # A registry's mirror can lag behind the tool's lock file.
    cargo install --locked --no-track --root "$dir.part" --version "$version" "$@" "$name" ||
      cargo install --no-track --root "$dir.part" --version "$version" "$@" "$name" || exit 1
    rm -rf "$dir" && mv "$dir.part" "$dir"
  )
}

rust_tools() {
  if ! has_bindgen; then
    did=1
    step "wasm-bindgen $NORMSCOPE_BINDGEN_VERSION" "2 min" \
      install_tool "$NORMSCOPE_BINDGEN_DIR" wasm-bindgen-cli "$NORMSCOPE_BINDGEN_VERSION"
  fi
  if ! has_trunk; then
    did=1
    step "Trunk $NORMSCOPE_TRUNK_VERSION" "4 min" \
      install_tool "$NORMSCOPE_TRUNK_DIR" trunk "$NORMSCOPE_TRUNK_VERSION" --no-default-features
  fi
  rm -rf "$NORMSCOPE_CACHE/work-tools"
  hash -r
}

# ----------------------------------------------------------------------------------------------------- crates, npm

# fetch_crates OPTION...: the source of all crates, so that later steps need no network
fetch_crates() {
  cargo fetch --locked --target "$TARGET" --target "$(rustc -vV | sed -n 's/^host: //p')" "$@"
}

crates_ready() { fetch_crates --offline >/dev/null 2>&1; }

npm_ready() {
  local modules=e2e/node_modules
  has_wasm_opt && [ -f "$modules/playwright-core/package.json" ] &&
    { [ ! -L "$modules" ] || [ "$(readlink "$modules")" = "$NORMSCOPE_NPM_DIR/node_modules" ]; }
}

# npm_install: the packages lie in the cache, and e2e/node_modules is a link to them
npm_install() {
  local dir=$NORMSCOPE_NPM_DIR
  npm_folder e2e "$dir" && mkdir -p "$dir/bin" && ln -sfn ../node_modules/.bin/wasm-opt "$dir/bin/wasm-opt" || return 1
  hash -r
  npm_ready || {
    echo "wasm-opt $NORMSCOPE_BINARYEN_VERSION or e2e/node_modules/playwright-core is still missing (is e2e/node_modules an old folder? remove it)"
    return 1
  }
}

check_node() {
  if ! have node || ! have npm; then die "Node.js $NODE_VERSION or later with npm is needed: see nodejs.org"; fi
  version_at_least "$(tool_version node)" "$NODE_VERSION" || die "Node.js $NODE_VERSION or later is needed; this is $(node --version)"
}

# rust_components: clippy and rustfmt, which rustup's minimal profile leaves out
rust_components() {
  local missing=()
  cargo clippy --version >/dev/null 2>&1 || missing+=(clippy)
  cargo fmt --version >/dev/null 2>&1 || missing+=(rustfmt)
  [ "${#missing[@]}" -gt 0 ] || return 0
  have rustup || die "cargo lacks: ${missing[*]}. Install rustup (see rustup.rs), or your system's packages of these names"
  did=1
  step "rustup's ${missing[*]}" "20 s" with_timeout 180 rustup component add "${missing[@]}"
}

# --------------------------------------------------------------------------------------------------------------- JAX

# jax_install: into a virtual environment of its own
jax_install() {
  local dir=$NORMSCOPE_JAX_DIR
  rm -rf "$dir"
  python3 -m venv "$dir" &&
    "$dir/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements.txt &&
    touch "$dir/complete"
}

# no_jax REASON: leaves the reason where the benchmark and the tests find it
no_jax() {
  say "   without JAX the exported scripts stay untested and the benchmark lacks it: $1"
  printf '%s\n' "$1" >"$NORMSCOPE_JAX_DIR.failed"
}

# jax: for the tests of the exported scripts and for the benchmark. It is an extra: either says where it is missing.
jax() {
  local version name="JAX $NORMSCOPE_JAX_VERSION, from the Python package index"
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true)
  if ! version_at_least "${version:-0}" "$PYTHON_VERSION"; then
    no_jax "it needs Python $PYTHON_VERSION or later, and python3 is ${version:-missing}"
  elif step "$name" "1 min" jax_install; then
    did=1
    rm -f "$NORMSCOPE_JAX_DIR.failed"
  else
    rm -rf "$NORMSCOPE_JAX_DIR"
    no_jax "$(grep -i -m 1 '^error' "$(log_of "$name")" || echo "its installation failed")"
  fi
}

# -------------------------------------------------------------------------------------------------------------- main

# in_background NAME USUAL COMMAND...: starts a step; wait_for_background reports it
jobs_started=()
in_background() {
  did=1
  step "$@" &
  jobs_started+=($!)
}
wait_for_background() {
  local job ok=0
  for job in ${jobs_started[@]+"${jobs_started[@]}"}; do wait "$job" || ok=1; done
  jobs_started=()
  return $ok
}
stop_background() {
  local job
  for job in ${jobs_started[@]+"${jobs_started[@]}"}; do kill "$job" 2>/dev/null || true; done
}
trap stop_background EXIT

# compiler: system packages, what Debian's compiler still needs, the source of the crates, and, where the tools are
# being built meanwhile, the page's code: most of the first build is crates that one core compiles while another waits
compiler() {
  if [ "${#packages[@]}" -gt 0 ]; then
    step "system packages: ${packages[*]}" "40 s" apt_install "${packages[@]}" || return 1
  fi
  if [ "$rust" = debian ] && ! std_ready; then
    _ns_use_debian
    step "the standard library for $TARGET" "70 s" build_std || return 1
  fi
  # Which compiler it is can have changed.
  # shellcheck source=scripts/env.sh
  . scripts/env.sh
  rust_ready rustc || die "the compiler $(command -v rustc) still lacks the $TARGET target"
  crates_ready || step "the source of the crates" "20 s" fetch_crates || return 1
  if [ "$1" = with-page ]; then
    say "-- the page's code, meanwhile (usually 5 min) ..."
    if compile_page >"$NORMSCOPE_LOGS/page-ahead.log" 2>&1 </dev/null; then say "   the page's code: done"; fi
    # Where that failed, the step that builds the page says why.
  fi
}

# compile_page: what Trunk has cargo do
compile_page() {
  local features
  features=$(sed -n 's/.*data-cargo-features="\([^"]*\)".*/\1/p' index.html)
  cargo build --locked --offline --profile page --target "$TARGET" --bin normscope-page --features "$features"
}

main() {
  mkdir -p "$NORMSCOPE_LOGS"
  if have flock; then
    exec 9>"$NORMSCOPE_CACHE/setup.lock"
    if ! flock -n 9; then
      say "-- waiting for another set-up on this machine to finish ..."
      flock 9
    fi
  fi

  [ -n "$NORMSCOPE_BINDGEN_VERSION" ] || die "Cargo.lock is missing or has no wasm-bindgen: run cargo generate-lockfile"
  check_node
  choose_rust
  list_packages
  if [ "${#packages[@]}" -gt 0 ] || ! has_linker; then may_install; fi

  npm_ready || in_background "wasm-opt and the browser driver, from npm" "15 s" npm_install

  if ! has_linker; then
    did=1
    step "the C linker: gcc libc6-dev" "20 s" apt_install gcc libc6-dev
  fi
  local page=no-page
  if ! has_trunk || ! has_bindgen; then page=with-page; fi
  if [ "$page" = with-page ] && rust_fits rustc && have cargo; then
    # The compiler on PATH builds the tools meanwhile.
    compiler with-page &
    jobs_started+=($!)
  elif [ "${#packages[@]}" -gt 0 ] || { [ "$rust" = debian ] && ! std_ready; } || ! crates_ready; then
    did=1
    compiler no-page
    . scripts/env.sh
  fi
  rust_tools
  wait_for_background || exit 1

  # shellcheck source=scripts/env.sh
  . scripts/env.sh
  if [ "$mode" = test ]; then
    rust_components
    has_browser || die "no Chromium was found; name one by CHROMIUM=/path/to/it"
    [ -f "$NORMSCOPE_JAX_DIR/complete" ] || jax
  fi

  if [ "$did" = 1 ]; then
    say "   set-up for $mode done in $SECONDS s (logs: $NORMSCOPE_LOGS)"
  else
    say "-- set-up for $mode: nothing to do"
  fi
}

main
