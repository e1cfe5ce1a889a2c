#!/usr/bin/env bash
# Installs what `make bench` needs beyond building and testing: the peers from npm, and JAX for Python. Both go to the
# cache folder. JAX is an extra: where it cannot be installed, the benchmark says so in its table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

PYTHON_VERSION=3.11

scripts/setup.sh test

# jax_install: into a virtual environment of its own
jax_install() {
  local dir=$NORMSCOPE_JAX_DIR
  rm -rf "$dir"
  python3 -m venv "$dir" &&
    "$dir/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements.txt &&
    touch "$dir/complete"
}

# no_jax REASON: leaves the reason where the benchmark finds it
no_jax() {
  say "   JAX will be missing from the table: $1"
  printf '%s\n' "$1" >"$NORMSCOPE_JAX_DIR.failed"
}

npm_linked bench "$NORMSCOPE_PEERS_DIR" || step "the peers, from npm" "20 s" npm_folder bench "$NORMSCOPE_PEERS_DIR"

if [ ! -f "$NORMSCOPE_JAX_DIR/complete" ]; then
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true)
  if ! version_at_least "${version:-0}" "$PYTHON_VERSION"; then
    no_jax "it needs Python $PYTHON_VERSION or later, and python3 is ${version:-missing}"
  elif step "JAX $NORMSCOPE_JAX_VERSION, from the Python package index" "1 min" jax_install; then
    rm -f "$NORMSCOPE_JAX_DIR.failed"
  else
    rm -rf "$NORMSCOPE_JAX_DIR"
    no_jax "$(grep -i -m 1 '^error' "$(log_of "JAX $NORMSCOPE_JAX_VERSION, from the Python package index")" || echo "its installation failed")"
  fi
fi
