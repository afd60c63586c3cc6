# client.sh - a client of `ckrun mcp` for shell tests. Sourced behind tap.sh.

# serve OPTIONS…: starts the server; its errors are in mcp.err.
serve() {
  coproc SERVER { exec "$CKRUN" mcp "$@" 2>"$dir/mcp.err"; }
  server=$SERVER_PID
  exec {to}>&"${SERVER[1]}" {from}<&"${SERVER[0]}"
  eval "exec ${SERVER[0]}<&- ${SERVER[1]}>&-"
}
number=0
# ask METHOD PARAMS, which may have line breaks: the answer's line is in `reply`.
ask() {
  number=$((number + 1))
  printf '{"jsonrpc":"2.0","id":%d,"method":"%s"%s}\n' "$number" "$1" \
    "${2:+,\"params\":${2//$'\n'/ }}" >&"$to"
  IFS= read -r -t 30 -u "$from" reply || reply=
}
# call TOOL ARGUMENTS: the result is in `result`, the text of a failure in `failure`.
call() {
  ask tools/call "{\"name\":\"$1\",\"arguments\":${2:-"{}"}}"
  result=$(json "$reply" '$d->{result}{structuredContent}') \
    failure=$(json "$reply" '$d->{result}{isError} ? $d->{result}{content}[0]{text} : ""')
}
of() { json "$result" "\$d->$1"; }
