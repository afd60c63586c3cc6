#!/bin/bash
# postgres_server.sh - a PostgreSQL server of a test's own: prints the URL of its database, runs
# until the end of its standard input, and leaves nothing. Where it cannot: one line, "skip: WHY".
# Its folder is its own, its socket lies in it, and no port is open. As root it runs as nobody,
# since the server refuses root. POSTGRES_SETTINGS: further words of its command line.
set -u
skip() { echo "skip: $*"; exit 0; }

# The newest of Debian's, whose programs are not in the path; else what the path has.
bin=
for folder in "$(dirname "$(command -v initdb || echo /none/initdb)")" \
  $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V); do
  [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] && [ -x "$folder/psql" ] && bin=$folder
done
[ -n "$bin" ] || skip "there is no PostgreSQL server on this machine"
as=()
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || skip "setpriv is missing, and the server refuses root"
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)
fi

umask 077
dir=$(mktemp -d /tmp/ckrun-pg.XXXXXX) || skip "no folder can be made in /tmp"
pid=
# signal_all NAME: the server and each process of it.
signal_all() { kill -"$1" "$pid" && kill -"$1" $(cat "/proc/$pid/task/$pid/children"); }
second=
end() {
  [ -z "$second" ] || { kill -QUIT "$second" && wait "$second"; } 2>/dev/null
  [ -z "$pid" ] || signal_all CONT
  [ -z "$pid" ] || { kill -QUIT "$pid" && wait "$pid"; } 2>/dev/null
  rm -rf "$dir"
}
trap end EXIT
[ ${#as[@]} = 0 ] || chown nobody:nogroup "$dir" || skip "its folder cannot be given to nobody"
cd "$dir" || exit 1
export LC_ALL=C PGTZ=UTC TZ=UTC
# Made once for a build, and copied: as its user, whose a server's files must be.
kept=${CKRUN_BUILD:+$CKRUN_BUILD/output/postgres-$(id -u)-${bin//[^0-9]/}}
if [ -n "$kept" ] && [ -d "$kept" ]; then
  cp -a "$kept" "$dir/data" || skip "$kept cannot be copied"
else
  ${as[@]+"${as[@]}"} "$bin/initdb" -D "$dir/data" -U ckrun -A trust -E UTF8 --no-locale -N \
    >"$dir/log" 2>&1 </dev/null || skip "initdb: $(tail -1 "$dir/log")"
  [ -z "$kept" ] || { mkdir -p "${kept%/*}" && cp -a "$dir/data" "$kept.$$" &&
    mv -T "$kept.$$" "$kept" || rm -rf "$kept.$$"; } 2>/dev/null
fi

# serve: on the socket in the folder. The settings spare a test's time; a test that cuts the power
# gives others.
serve() {
  ${as[@]+"${as[@]}"} "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= \
    -c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c max_connections=60 \
    -c autovacuum=off -c unix_socket_permissions=0777 ${POSTGRES_SETTINGS:-} >>"$dir/log" 2>&1 \
    </dev/null &
  pid=$!
  for _ in $(seq 300); do
    "$bin/psql" -XAtq -h "$dir" -U ckrun -d postgres -c "" >"$dir/ready" 2>&1 && return 0
    kill -0 "$pid" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
# ask FOLDER SQL: of the server whose socket lies there.
ask() { "$bin/psql" -XAtq -h "$1" -U ckrun -d postgres -c "$2" 2>/dev/null; }
# stand_by: a second server follows the first, with its socket in $dir/second.
stand_by() {
  ${as[@]+"${as[@]}"} mkdir "$dir/second" && chmod 711 "$dir/second" &&
    ${as[@]+"${as[@]}"} "$bin/pg_basebackup" -h "$dir" -U ckrun -D "$dir/data2" -c fast -N -R \
      >>"$dir/log" 2>&1 </dev/null || return 1
  ${as[@]+"${as[@]}"} "$bin/postgres" -D "$dir/data2" -k "$dir/second" -c listen_addresses= \
    -c fsync=off -c shared_buffers=16MB -c max_connections=60 -c autovacuum=off \
    -c unix_socket_permissions=0777 >>"$dir/log" 2>&1 </dev/null &
  second=$!
  for _ in $(seq 300); do
    [ "$(ask "$dir/second" "SELECT status FROM pg_stat_wal_receiver")" = streaming ] && return 0
    sleep 0.05
  done
  return 1
}
# fail_over: the first server dies, and the second takes its place.
fail_over() {
  kill -QUIT "$pid"
  wait "$pid"
  pid=
  [ "$(ask "$dir/second" "SELECT pg_promote()")" = t ]
}
chmod 711 "$dir"
serve || skip "the server did not start: $(tail -1 "$dir/log")"
echo "postgres:///postgres?host=$dir&user=ckrun"

# stop, start: as after a crash of its machine's power would be without fsync, but for the power.
while read -r word; do
  case $word in
    stop) kill -QUIT "$pid"; wait "$pid"; pid=; echo stopped ;;
    start) serve && echo started ;;
    freeze) signal_all STOP; echo frozen ;;
    thaw) signal_all CONT; echo thawed ;;
    standby) stand_by && echo standing ;;
    failover) fail_over && echo promoted ;;
  esac
done 2>/dev/null
exit 0
