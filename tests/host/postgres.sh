# postgres.sh - a server of PostgreSQL for one test: begun, asked without ckrun, ended with it; a
# program that is killed between two of its messages to a server. Sourced behind tap.sh.

# begin_server: sets server, the URL of its database, or "skip: WHY" where none can be had. 9 is its
# input and 8 its output: programs that go on without the test are begun with 8<&- 9>&-.
begin_server() {
  coproc SERVER { cd "$root" && exec tests/store/postgres_server.sh 2>/dev/null; }
  exec 8<&"${SERVER[0]}" 9>&"${SERVER[1]}"
  eval "exec ${SERVER[0]}<&- ${SERVER[1]}>&-"
  read -r server <&8
  trap 'end_server; rm -rf "$dir"' EXIT
  host=${server#*host=} host=${host%%&*}
  psql=$(command -v psql || ls /usr/lib/postgresql/*/bin/psql 2>/dev/null | tail -1)
}
end_server() { exec 9>&-; cat <&8 >/dev/null; }
has_server() { [[ $server == postgres:* ]]; }

# need_server: begins one; without it the test ends here.
need_server() {
  begin_server
  has_server && return
  skip "a store of PostgreSQL: ${server#skip: }"
  finish
}

# ask SQL: what the server itself answers, of the schema $schema.
ask() {
  PGOPTIONS="-c search_path=$schema" "$psql" -XAtq -h "$host" -U ckrun -d postgres -c "$1" \
    8<&- 9>&-
}

# Whether the program can be killed at its messages. Sanitizers would be loaded first.
can_kill_sending() {
  [[ $CKRUN != */asan/* ]] &&
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -DKILL_SEND_PRELOAD "$root/tests/host/kill_send.c" \
      -o "$dir/kill_send.so" -ldl 2>/dev/null
}
# sending N ARGUMENTS…: runs it until its Nth message; 0: to its end, and prints "sent COUNT" too.
sending() {
  (LD_PRELOAD=$dir/kill_send.so KILL_SEND=$1 "$CKRUN" "${@:2}" 2>/dev/null </dev/null 8<&- 9>&-) \
    2>/dev/null
}
count_sent() { sending 0 "$@" | awk '$1 == "sent" { print $2 }'; }
