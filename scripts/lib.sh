# shellcheck shell=bash
# What the scripts share: messages, and steps that say what they do and how long that usually takes. To be sourced.

NORMSCOPE_LOGS=${NORMSCOPE_CACHE:?source scripts/env.sh first}/logs

if [ -t 1 ]; then bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'; else bold='' red='' plain=''; fi

say() { printf '%s\n' "$*"; }
head_line() { printf '%s== %s%s\n' "$bold" "$*" "$plain"; }
error() { printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2; }
die() {
  error "$@"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# version_at_least HAVE WANT: compares dotted numbers
version_at_least() {
  awk -v h="$1" -v w="$2" 'BEGIN {
    n = split(h, a, "."); m = split(w, b, ".")
    for (i = 1; i <= (n > m ? n : m); i++) {
      if (a[i] + 0 > b[i] + 0) exit 0
      if (a[i] + 0 < b[i] + 0) exit 1
    }
    exit 0
  }'
}

# log_of NAME: the file that a step's output goes to
log_of() { printf '%s/%s.log' "$NORMSCOPE_LOGS" "$(printf '%s' "$1" | tr -cs 'A-Za-z0-9.' '-' | sed 's/^-//; s/-$//')"; }

# failed NAME LOG: says which step failed, why, and where the whole log is
failed() {
  error "the step \"$1\" failed. Its first errors and last lines:"
  {
    grep -n -i -m 5 'error' "$2" || true
    echo ...
    tail -n 25 "$2"
  } | sed 's/^/  | /' >&2
  error "the whole log: $2"
}

# step NAME USUAL COMMAND...: runs a step with its output in a log
step() {
  local name=$1 usual=$2 log from=$SECONDS
  shift 2
  log=$(log_of "$name")
  mkdir -p "$NORMSCOPE_LOGS"
  say "-- $name (usually $usual) ..."
  if ! (export RUST_BACKTRACE=0 && "$@") >"$log" 2>&1 </dev/null; then
    failed "$name" "$log"
    return 1
  fi
  say "   $name: done in $((SECONDS - from)) s"
}

# with_timeout SECONDS COMMAND...: where the machine has `timeout`
with_timeout() {
  if have timeout; then timeout "$@"; else
    shift
    "$@"
  fi
}

# npm_folder FOLDER DIR: installs what FOLDER/package-lock.json fixes into DIR, which is in the cache, and makes
# FOLDER/node_modules a link to it; a real folder of that name is left alone
npm_folder() {
  local folder=$1 dir=$2
  if [ ! -d "$dir/node_modules" ]; then
    rm -rf "$dir.part" &&
      mkdir -p "$dir.part" &&
      cp "$folder/package.json" "$folder/package-lock.json" "$folder/.npmrc" "$dir.part/" &&
      (cd "$dir.part" && npm ci --no-progress) &&
      rm -rf "$dir" &&
      mv "$dir.part" "$dir" || return 1
  fi
  if [ -L "$folder/node_modules" ] || [ ! -e "$folder/node_modules" ]; then
    ln -sfn "$dir/node_modules" "$folder/node_modules"
  fi
}

# npm_linked FOLDER DIR: whether that is so
npm_linked() { [ -d "$2/node_modules" ] && [ "$(readlink "$1/node_modules")" = "$2/node_modules" ]; }
