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
# Two places for servers; the primary is at $at, and a standby at the other one.
at=0 pids=('' '') sockets=("$dir" "$dir/second") datas=("$dir/data" "$dir/data2")
# signal_all NAME: the primary and each process of it.
signal_all() {
  local pid=${pids[at]}
  kill -"$1" "$pid" && kill -"$1" $(cat "/proc/$pid/task/$pid/children")
}
# die PLACE: as at a crash.
die() {
  [ -z "${pids[$1]}" ] || { kill -QUIT "${pids[$1]}"; wait "${pids[$1]}"; } 2>/dev/null
  pids[$1]=
}
end() {
  [ -z "${pids[at]}" ] || signal_all CONT 2>/dev/null
  die 0
  die 1
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

# launch PLACE: on the socket there. The settings spare a test's time; a test that cuts the power
# gives others.
launch() {
  ${as[@]+"${as[@]}"} "$bin/postgres" -D "${datas[$1]}" -k "${sockets[$1]}" -c listen_addresses= \
    -c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c max_connections=60 \
    -c autovacuum=off -c unix_socket_permissions=0777 -c wal_retrieve_retry_interval=200ms \
    ${POSTGRES_SETTINGS:-} >>"$dir/log" 2>&1 </dev/null &
  pids[$1]=$!
}
# ask PLACE SQL: of the server there.
ask() { "$bin/psql" -XAtq -h "${sockets[$1]}" -U ckrun -d postgres -c "$2" 2>/dev/null; }
serve() {
  launch "$at"
  for _ in $(seq 1200); do
    ask "$at" "" >"$dir/ready" && return 0
    kill -0 "${pids[at]}" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
# stand_by: a second server follows the primary, at the other place.
stand_by() {
  local other=$((1 - at))
  [ -d "$dir/second" ] || { ${as[@]+"${as[@]}"} mkdir "$dir/second" && chmod 711 "$dir/second"; }
  rm -rf "${datas[other]}"
  ${as[@]+"${as[@]}"} "$bin/pg_basebackup" -h "${sockets[at]}" -U ckrun -D "${datas[other]}" \
    -c fast -N -R >>"$dir/log" 2>&1 </dev/null || return 1
  launch "$other"
  for _ in $(seq 1200); do
    [ "$(ask "$other" "SELECT status FROM pg_stat_wal_receiver")" = streaming ] && return 0
    sleep 0.05
  done
  return 1
}
# bind: from now on what is durable is so at the standby, too. Of the primary alone: the standby's
# settings are those of the moment at which it was copied.
bind() {
  ask "$at" "ALTER SYSTEM SET synchronous_standby_names = '*'" &&
    ask "$at" "SELECT pg_reload_conf()" >"$dir/ready" || return 1
  for _ in $(seq 1200); do
    [ "$(ask "$at" "SELECT sync_state FROM pg_stat_replication")" = sync ] && break
    sleep 0.05
  done
  # Its commit waits, and so does the answer, until what was committed before is there.
  ask "$at" "CREATE TABLE public.synchronous (); DROP TABLE public.synchronous"
}
# fail_over: the primary dies, and the other one takes its place.
fail_over() {
  die "$at"
  at=$((1 - at))
  [ "$(ask "$at" "SELECT pg_promote()")" = t ]
}
chmod 711 "$dir"
serve || skip "the server did not start: $(tail -1 "$dir/log")"
echo "postgres:///postgres?host=$dir&user=ckrun"

# stop, start: as after a crash of its machine's power would be without fsync, but for the power.
while read -r word; do
  case $word in
    stop) die "$at"; echo stopped ;;
    start) serve && echo started || echo failed ;;
    freeze) signal_all STOP; echo frozen ;;
    thaw) signal_all CONT; echo thawed ;;
    standby) stand_by && echo standing || echo failed ;;
    synchronous) bind && echo synchronous || echo failed ;;
    failover) fail_over && echo promoted || echo failed ;;
  esac
done 2>/dev/null
exit 0
