#!/usr/bin/env bash
# Installs what `make bench` needs beyond building and testing: the peers from npm, to the cache folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/env.sh
. scripts/env.sh
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

scripts/setup.sh test

npm_linked bench "$NORMSCOPE_PEERS_DIR" || step "the peers, from npm" "20 s" npm_folder bench "$NORMSCOPE_PEERS_DIR"
