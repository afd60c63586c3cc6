# packages.sh - the packages of the npm registry that the scripts here are run with, installed once.
# Sourced, with the folder that they are installed into as its argument; sets place. Without node,
# npm or the packages everything is skipped.
place=${1:?the folder that the packages are installed into}

skip_all() { echo "TAP version 13"; echo "1..0 # SKIP $1"; exit 0; }

command -v node >/dev/null && command -v npm >/dev/null || skip_all "node and npm are not there"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
  skip_all "node $(node --version) is older than 20"
mkdir -p "$place" || exit 1
place=$(cd "$place" && pwd)
install_packages() {
  cp "$(dirname "${BASH_SOURCE[0]}")/package.json" "$place/package.json" || return
  cmp -s "$place/package.json" "$place/installed.json" && return
  timeout 300 npm install --no-audit --no-fund --ignore-scripts --prefix "$place" \
    >"$place/npm.log" 2>&1 && cp "$place/package.json" "$place/installed.json"
}
exec {once}>"$place/lock"
flock "$once"
install_packages || skip_all "the packages cannot be had: see $place/npm.log"
exec {once}>&-
