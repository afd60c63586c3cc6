# http.sh - `ckrun mcp` over HTTP, and a client of it, for shell tests. Sourced behind tap.sh; goes
# into its folder.
cd "$dir" || exit 1
"$CKRUN" mcp --listen 127.0.0.1:0 --token env:NOBODY >probe 2>&1
grep -q "built without libmicrohttpd" probe && { echo "1..0 # SKIP no libmicrohttpd"; exit 0; }

# listen OPTIONS…: starts it; sets port and token.
listen() {
  : >said # an earlier one's place is not this one's
  "$CKRUN" mcp --listen 127.0.0.1:0 "$@" >said 2>mcp.err &
  listening=$!
  until grep -q '^url' said; do kill -0 "$listening" || return; sleep 0.02; done
  port=$(grep -o '127.0.0.1:[0-9]*' said | cut -d: -f2)
  token=$(sed -n 's/^token\t//p' said)
}
# http METHOD PATH BODY HEADER…: the answer's head and body are in `head` and `reply`.
http() {
  local method=$1 path=$2 body=$3
  shift 3
  exec 9<>"/dev/tcp/127.0.0.1/$port"
  { printf '%s %s HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\n' "$method" "$path" \
    "${length:-${#body}}"; printf '%s\r\n' "$@"; printf '\r\n%s' "$body"; } >&9 2>/dev/null
  cat <&9 >answer
  exec 9>&-
  head=$(sed -n '1,/^\r$/p' answer | tr -d '\r') reply=$(sed '1,/^\r$/d' answer)
  code=$(cut -d' ' -f2 <<<"$head" | head -1)
}
post() { http POST /mcp "$1" "Host: 127.0.0.1:$port" "Authorization: Bearer $token" "${@:2}"; }
