#!/bin/bash
# key_postgres.t - the key of a store in PostgreSQL is given and changed: stopped anywhere and run
# again it comes to its end, all is as before under the new key, and the server has no text of it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
write_flow idempotent canarytext
need_server
schema=one
export CKRUN_STORE="$server&schema=one&lease=600"
# stored [KEY]: all that is told of the sessions and the facts.
stored() {
  local id key=(${1:+--key "file:$dir/$1"})
  "$CKRUN" "${key[@]}" facts list
  for id in flight branch one; do
    "$CKRUN" "${key[@]}" --json sessions log "$id" --all
    "$CKRUN" "${key[@]}" sessions inspect "$id"
    "$CKRUN" "${key[@]}" sessions show "$id"
  done 2>&1 | grep -vE '^(store|key|sealed|signature)|bytes' | sed 's,--key file:[^ ]* ,,'
}
for key in a b c; do "$CKRUN" key new "$dir/$key" >/dev/null; done

exits 0 "a session" run "$flow" --cassette "$cassette" --session flight
exits 0 "a fork" sessions fork flight --session branch
exits 0 "a fact" facts set where '"canaryfact"'
begin run "$dir/flow.lua" --session one --input '"canaryinput"' 8<&- 9>&-
steps first second
reach
refused 76 "a key while a session runs" "is run by process $pid" \
  key rotate --new-key "file:$dir/a"
die
stored >"$dir/before" 2>&1
ok "there is something to seal" test "$(wc -l <"$dir/before")" -gt 50
files=$(ask "SELECT current_setting('data_directory')")
in_files() {
  ask CHECKPOINT >/dev/null
  grep -rlaE 'canary(fact|input|text)' "$files/base" 2>/dev/null | wc -l
}
ok "and the server's files have it in clear" test "$(in_files)" -gt 0

# ---- the first key ----
exits 0 "the first key" --json key rotate --new-key "file:$dir/a"
is "all rows are sealed" "$(json "$out" '$d->{events}')" "$(ask "SELECT count(*) FROM event")"
is "each with it" "$(ask "SELECT count(DISTINCT key_id) FROM event") $(ask "SELECT count(*)
  FROM event WHERE key_id IS NULL") $(ask "SELECT count(*) FROM checkpoint WHERE key_id IS NULL")" \
  "1 0 0"
is "no row has the text of a fact, an input, a flow" "$(ask "SELECT
  (SELECT count(*) FROM fact WHERE position('canary'::bytea in value) > 0) +
  (SELECT count(*) FROM session WHERE position('canary'::bytea in input) > 0) +
  (SELECT count(*) FROM blob WHERE position('canary'::bytea in body) > 0) +
  (SELECT count(*) FROM event WHERE position('canary'::bytea in body) > 0)")" 0
is "nor has a file of its tables" "$(in_files)" 0
stored a >"$dir/behind" 2>&1
ok "with it all is as before" cmp "$dir/before" "$dir/behind" ||
  diff "$dir/before" "$dir/behind" | head -5 >&2
exits 4 "without it nothing" sessions list
exits 0 "it is verified" --key "file:$dir/a" store verify
exits 0 "the same again" --json key rotate --new-key "file:$dir/a"
is "has nothing to do" "$(json "$out" '$d->{was_done}')" 1

# ---- another one, stopped on its way ----
if can_kill_sending; then
  rotating() { sending "$1" --key "file:$dir/$2" key rotate --new-key "file:$dir/$3"; }
  sent=$(count_sent --key "file:$dir/a" key rotate --new-key "file:$dir/b")
  from=b to=c broken=0 half=0
  for n in $((sent / 2)) $((sent * 3 / 4)) $((sent - 30)) $((sent - 10)); do
    rotating "$n" "$from" "$to" >"$dir/out"
    [ $? = 137 ] || broken=$((broken + 1))
    [ "$(ask "SELECT count(DISTINCT key_id) FROM event")" = 2 ] && half=$((half + 1))
    if [ "$(ask "SELECT get_byte(value, 1) FROM meta WHERE key = 'key'")" = 2 ]; then
      "$CKRUN" --key "file:$dir/$from" sessions list >/dev/null 2>&1 && broken=$((broken + 1))
      "$CKRUN" --key "file:$dir/$to" sessions list >/dev/null 2>&1 && broken=$((broken + 1))
    fi
    "$CKRUN" --key "file:$dir/$from" key rotate --new-key "file:$dir/$to" >/dev/null 2>"$dir/err" ||
      broken=$((broken + 1))
    stored "$to" >"$dir/behind" 2>&1
    cmp -s "$dir/before" "$dir/behind" || broken=$((broken + 1))
    both=$from from=$to to=$both
  done
  is "stopped at 4 of $sent messages and run again it comes to its end, and all is there" \
    "$broken" 0
  exits 0 "it is verified" --key "file:$dir/$from" store verify
else
  skip "stopped on the way to a server: nothing can be put before libpq"
  exits 0 "another key" --key "file:$dir/a" key rotate --new-key "file:$dir/b"
  from=b
fi

# ---- two at once; one that stood still ----
to=$([ "$from" = a ] && echo b || echo a)
"$psql" -XAtq -h "$host" -U ckrun -d postgres -c "SELECT pg_advisory_lock(hashtextextended(
  'ckrun key of one', 0))" -c "SELECT pg_sleep(600)" >"$dir/lock" 2>&1 8<&- 9>&- &
other=$!
until [ "$(ask "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")" != 0 ]; do :; done
exits 74 "while another process changes it" --key "file:$dir/$from" key rotate \
  --new-key "file:$dir/$to"
has "is told" "$err" "another process is changing its key"
kill "$other"
ask "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'" >/dev/null
export CKRUN_KEY=$(cat "$dir/$from")
begin resume one 8<&- 9>&-
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do :; done
ask "UPDATE lease SET expires = 'epoch' WHERE owner IS NOT NULL"
exits 0 "a change while one stands still whose lease has ended" key rotate \
  --new-key "file:$dir/$to"
kill -CONT "$pid"
let_on late
wait "$pid"
is "it is fenced when it goes on" "$?" 76
export CKRUN_KEY=$(cat "$dir/$to")
is "and wrote nothing with the old key" "$(ask "SELECT count(DISTINCT key_id) FROM event")" 1
exits 0 "all is well" store verify
finish
