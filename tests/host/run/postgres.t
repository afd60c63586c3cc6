#!/bin/bash
# postgres.t - sessions in a store of PostgreSQL, from outside: run, killed, taken over, read,
# sealed; its passwords are told nowhere.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
mkdir "$dir/bin" && ln -s "$(realpath "$CKRUN")" "$dir/bin/ckrun"
schema=one
# A lease that no slow machine outlasts; where it is to end, the test ends it.
export CKRUN_STORE="$server&schema=one&lease=600"
write_flow once

# ---- no store yet ----
exits 3 "sessions of a store that is not there" sessions list
exits 0 "the doctor says that there is none" doctor

# ---- a session that is killed, and goes on in another process ----
begin run "$dir/flow.lua" --session walk 8<&- 9>&-
steps one two
reach
refused 76 "a resume of a session that runs" "is run by process $pid on" resume walk
is "its lease is in the future by the server's clock" \
  "$(ask "SELECT expires > clock_timestamp() FROM lease")" t
die
is "its owner did not give it back" "$(ask "SELECT owner IS NOT NULL FROM lease")" t
exits 75 "a resume, at once: the process is gone, and its step in doubt" resume walk
key=$(tail -n 1 "$dir/done")
exits 0 "a person says what became of it" resolve walk "$key" retry
begin resume walk 8<&- 9>&-
steps three four
ended
is "it goes on, and ends" "$code" 0
is "nothing was done twice but what a person let be tried again" \
  "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "1 1 2 1 "
is "three runs took it, each with a later epoch" "$(ask "SELECT epoch FROM lease")" 4
is "its owner has given it back" "$(ask "SELECT owner IS NULL FROM lease")" t

# ---- a profile that wants a standby, where there is none ----
echo 'return { name = "twice", extends = "default", durability = "replicated" }' >"$dir/twice.lua"
refused 5 "a server that waits for no standby" "synchronous_standby_names is empty" \
  run "$dir/flow.lua" --profile "$dir/twice.lua" --session twice
refused 2 "a store in a file" 'durability = "replicated"' \
  --store "$dir/s.db" run "$dir/flow.lua" --profile "$dir/twice.lua" --session twice
is "nothing was begun" "$(ask "SELECT count(*) FROM session WHERE id = 'twice'")" 0

# ---- read from elsewhere ----
exits 0 "a list" --json sessions list
is "has it" "$(json "$out" '$d->{session}') $(json "$out" '$d->{status}')" "walk completed"
exits 0 "its transcript" sessions log walk --all --json
is "has as many events as the server has rows" "$(grep -c '"seq":' <<<"$out")" \
  "$(ask "SELECT count(*) FROM event")"
exits 0 "its checkpoints" --json sessions checkpoints walk
exits 0 "what the last one restores" sessions inspect walk
exits 0 "an export" sessions export walk --format markdown
exits 0 "figures" --json store stats
is "of one session" "$(json "$out" '$d->{sessions}')" 1
exits 0 "a verification" store verify
has "finds all well" "$err" "all is well"
ask "UPDATE event SET body = overlay(body placing 'X'::bytea from 3 for 1) WHERE seq = 3"
exits 7 "of a row that somebody changed" store verify
ask "UPDATE meta SET value = '99' WHERE key = 'schema'"
refused 74 "a store of a later ckrun" "has schema 99" sessions list
ask "UPDATE meta SET value = '3' WHERE key = 'schema'"

# ---- taken over when the lease has ended; the old owner is fenced ----
begin run "$dir/flow.lua" --session lost 8<&- 9>&-
old=$pid
kill -STOP "$old"
until grep -q '^State:.T' "/proc/$old/status"; do :; done
refused 76 "a resume while the lease of a stopped one lasts" "is run by process $old" resume lost
ask "UPDATE lease SET expires = 'epoch' WHERE session = 2"
exits 75 "when it has ended, another process takes it" resume lost
epoch=$(ask "SELECT epoch FROM lease WHERE session = 2") rows=$(ask "SELECT count(*) FROM event")
kill -CONT "$old"
let_on late
wait "$old"
is "the old owner finds out at its next write" "$?" 76
is "and writes nothing" \
  "$(ask "SELECT epoch FROM lease WHERE session = 2") $(ask "SELECT count(*) FROM event")" \
  "$epoch $rows"

# ---- --take-over: of a stopped process of this machine, whose lease lasts ----
begin run "$dir/flow.lua" --session held 8<&- 9>&-
refused 76 "taking over a running owner" \
  "which is not stopped: --take-over ends a stopped process only" resume held --take-over
old=$pid
kill -STOP "$old"
until grep -q '^State:.T' "/proc/$old/status"; do :; done
of=$(ask "SELECT owner FROM lease ORDER BY session DESC LIMIT 1")
change() { ask "UPDATE lease SET owner = '$1' WHERE session = (SELECT max(session) FROM lease)"; }
change "$old 7 another-boot pid:[1] elsewhere run_x"
refused 76 "one of another machine" "--take-over ends a process of this machine only" \
  resume held --take-over
has "is named" "$err" "process $old on elsewhere"
ok "and nobody of that number here is ended" kill -0 "$old"
change "$of"
exits 0 "a dry run" --json resume held --take-over --dry-run
is "names the process that it would end" "$(json "$out" '$d->{takes_over}')" "$old"
ok "and does not end it" kill -0 "$old"
end_step
exits 75 "the session is taken over, and what was under way is in doubt" resume held --take-over
wait "$old"
is "the stopped owner was ended" "$?" 137

# ---- passwords ----
secret=hunter2-Zq7
url="postgres://ckrun:$secret@/postgres?host=$host&schema=one"
told() { ok "$1: without the password" test -z "$(grep -F "$secret" <<<"$out$err")"; }
run --store "$url" sessions list
is "a password in --store is refused" "$code" 2
told "the refusal"
for words in "sessions list" "--json sessions show walk" "--json store stats" "store verify" \
  "--json doctor" "doctor" "--json sessions log walk --all" "sessions export walk --format html"; do
  CKRUN_STORE=$url run $words
  told "$words"
done
has "the store is named nevertheless" "$(CKRUN_STORE=$url "$CKRUN" store stats)" \
  "postgres://ckrun@/postgres?host=$host"
CKRUN_STORE=$url CKRUN_LOG=debug run --store "postgres://ckrun@/postgres?host=$host&schema=one" \
  sessions list
is "a --store without it takes it from the variable that names the same" "$code" 0
told "so"
for bad in "postgres://ckrun:$secret@localhost:1/postgres" "postgres://u:$secret@x@h/d" \
  "postgres://u:p/$secret@h/d" "postgres://u:$secret@h/d?no=$secret" "postgres://u:%zz$secret@h/d" \
  "postgres://ckrun@/none?host=$host&password=$secret" "postgres://u:$secret@h/d?schema=a-b"; do
  CKRUN_STORE=$bad run sessions list
  ok "a URL that cannot be opened: exit $code" test "$code" != 0
  told "its error"
  CKRUN_STORE=$bad run --json sessions list
  told "as JSON"
done
ok "no row of the store has it" test -z "$("${psql%psql}pg_dump" -h "$host" -U ckrun postgres 2>&1 |
  grep -F "$secret")"

# ---- a key ----
run key new "$dir/key"
export CKRUN_STORE="$server&schema=sealed" CKRUN_KEY=$(cat "$dir/key")
run run "$flow" --cassette "$cassette" --session closed
is "a session in a sealed store" "$code" 0
is "has no text that the server could read" \
  "$(PGOPTIONS='-c search_path=sealed' "$psql" -XAtq -h "$host" -U ckrun -d postgres \
    -c "SELECT count(*) FROM event WHERE position('flight'::bytea in body) > 0" 8<&- 9>&-)" 0
exits 0 "with the key it is verified" store verify
CKRUN_KEY= run sessions list
is "without it nothing is read" "$code" 4

# ---- a role that may do less ----
unset CKRUN_KEY
schema=one
ask "CREATE ROLE runner LOGIN"
export CKRUN_STORE="${server/user=ckrun/user=runner}&schema=one"
refused 5 "a role without a privilege" 'GRANT USAGE ON SCHEMA "one" TO "runner"' sessions list
ask 'GRANT USAGE ON SCHEMA "one" TO "runner"'
refused 5 "one that may read no table" 'INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "one" TO "' \
  sessions list
has "is told of which" "$err" "permission denied for table meta"
ask 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "one" TO "runner"'
run run "$flow" --cassette "$cassette" --session ran
is "with these it runs sessions" "$code" 0
exits 0 "pauses, facts" facts set from '"runner"'
exits 0 "prunes them" sessions prune ran --keep 1
exits 0 "verifies them" store verify --session ran
exits 0 "and deletes them" sessions delete ran --yes
ask 'REVOKE DELETE ON fact FROM "runner"'
run --json doctor
is "the doctor has the gravest exit code, of a session in doubt" "$code" 75
is "says what the role lacks, what is not durable, how the server is" "$(json "$out" \
  'join " ", map { $_->{check} } grep { $_->{check} =~ /^(server|dur|conn|priv)/ }
    @{$d->{findings}}')" "server durability durability connections privilege"
has "which privilege" "$out" 'may not DELETE'
has "and which setting" "$out" "ALTER SYSTEM SET fsync = on"
has "the server's version" "$out" '"text":"PostgreSQL 1'
is "and nothing of SQLite" "$(grep -ci sqlite <<<"$out")" 0
ask 'GRANT DELETE ON fact TO "runner"'
ask "UPDATE session SET status = 1 WHERE id = 'walk'; UPDATE head SET status = 1 WHERE session =
  (SELECT no FROM session WHERE id = 'walk')"
run --json doctor
is "it sees the sessions" "$(json "$out" 'join " ", map { "$_->{check} $_->{subject}" }
  grep { $_->{check} eq "lease" && $_->{subject} eq "walk" } @{$d->{findings}}')" "lease walk"
refused 5 "but makes no store" 'GRANT CREATE ON DATABASE "postgres" TO "runner"' \
  --store "${server/user=ckrun/user=runner}&schema=its" run "$flow" --cassette "$cassette"
ask 'CREATE ROLE owner LOGIN; CREATE SCHEMA its AUTHORIZATION owner'
exits 0 "the owner of a schema, who may make none, makes its store there" \
  --store "${server/user=ckrun/user=owner}&schema=its" submit "$flow" --cassette "$cassette" \
  --session mine
is "with the tables in the owner's name" "$(ask "SELECT DISTINCT tableowner FROM pg_tables WHERE
  schemaname = 'its'")" owner
# What is told as the next command is one that a shell takes as it stands.
told=$(sed "s/^[^']*'//; s/'[^']*$//; s/'[^']*'/\n/" <<<"$err" | tail -n 1)
is "the command that follows it is run by a shell" \
  "$(PATH="$dir/bin:$PATH" sh -c "${told/watch/show}" 2>&1 8<&- 9>&- | head -n 1 | cut -f 2)" mine
refused 5 "a role that may not use a schema that is empty" 'GRANT USAGE ON SCHEMA "bare"' \
  --store "$(ask 'CREATE SCHEMA bare')${server/user=ckrun/user=runner}&schema=bare" run "$flow" \
  --cassette "$cassette"
refused 2 "a parameter that is mistyped" "did you mean 'schema'" \
  --store "$server&shcema=one" sessions list

# ---- a server that goes away ----
CKRUN_STORE="$server&schema=away" begin run "$dir/flow.lua" --session away 8<&- 9>&-
echo stop >&9
read -r _ <&8
let_on one
ended
is "a run whose server goes away under it stops" "$code" 74
is "and nothing is begun meanwhile" "$(wc -l <"$dir/step")" 1
export CKRUN_STORE="$server&schema=sealed" CKRUN_KEY=$(cat "$dir/key")
exits 74 "a server that is away" sessions list
has "is named" "$err" "cannot connect"
echo start >&9
read -r _ <&8
exits 0 "when it is back, so is the store" sessions show closed
unset CKRUN_KEY
export CKRUN_STORE="$server&schema=away"
exits 75 "what was under way is in doubt, as nothing of it was stored" resume away
exits 0 "a person knows" resolve away "$(tail -n 1 "$dir/done")" done --result '"one"'
begin resume away 8<&- 9>&-
steps two three four
ended
is "the session goes on" "$code" 0
exits 0 "and is whole" store verify

finish
