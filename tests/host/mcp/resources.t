#!/bin/bash
# resources.t - sessions, transcripts and checkpoints as resources of `ckrun mcp`: byte for byte
# what the command line prints of them, page by page, and nothing of what its client may not see.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"
cd "$dir" || exit 1

run run "$flow" --cassette "$cassette" --session trip
cat >hold.lua <<'END'
local flow = require "ck.flow"
return flow.custom { run = function(ctx)
  ctx.memory.word = ctx.input == "big" and ("x"):rep(900000) or ctx.input
  ctx.memory.more = ctx.memory.word
  ctx.boundary("node_complete", { node = "n", position = { path = "n#1", n = 1 } })
  ctx.pause("look first")
end }
END
hold() { run run hold.lua --session "$1" --input "\"$1\""; }
hold private
hold team-a
run sessions fork private --session team-stolen
run sessions fork team-a --session team-fork
run sessions fork team-a --session hidden-fork
hold big

META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
  "io.modelcontextprotocol/clientCapabilities":{}}'
# read_text URI [MORE]: the text of the resource is in `text`, its type in `type`.
read_text() {
  ask resources/read "{\"uri\":\"$1\"${2:+,$2}}"
  text=$(json "$reply" '$d->{result}{contents}[0]{text}')
  type=$(json "$reply" '$d->{result}{contents}[0]{mimeType}')
}
code() { json "$reply" '$d->{error}{code}'; }
names() { json "$reply" 'join " ", map { $_->{uri} } @{$d->{result}{resources}}'; }

# ---- the same words as the command line's ----

serve
ask initialize '{"protocolVersion":"2025-11-25","capabilities":{}}'
is "a client is told that there are resources" \
  "$(json "$reply" '$d->{result}{capabilities}{resources}')" '{}'
first=$("$CKRUN" --json sessions checkpoints trip | head -n 1)
id=$(json "$first" '$d->{id}') seq=$(json "$first" '$d->{seq}')
while IFS='|' read -r name path want words; do
  "$CKRUN" --json $words >expected
  read_text "ckrun://sessions/$path"
  is "$name: what the command line prints" "$text" "$(cat expected)"
  is "$name: its type" "$type" "$want"
  is "$name: it is marked as data" "$(json "$reply" '$d->{result}{_meta}')" \
    '{"ckrun/stored":true}'
done <<END
a session|trip|application/json|sessions show trip
its transcript|trip/log|application/x-ndjson|sessions log trip
the last events of it|trip/log?last=3|application/x-ndjson|sessions log trip --last 3
those before|trip/log?before=9&last=2|application/x-ndjson|sessions log trip --last 2 --before 9
its checkpoints|trip/checkpoints|application/x-ndjson|sessions checkpoints trip
one page of them|trip/checkpoints?limit=1|application/x-ndjson|sessions checkpoints trip --limit 1
a checkpoint by its id|trip/checkpoints/$id|application/json|sessions inspect trip $id
by its seq|trip/checkpoints/$seq|application/json|sessions inspect trip $seq
the latest|trip/checkpoints/latest|application/json|sessions inspect trip latest
END
ok "a transcript is not empty" test "$("$CKRUN" --json sessions log trip | wc -l)" -gt 50
ask ping
is "and nothing of it has gone elsewhere" "$(json "$reply" '$d->{id}')" "$number"

# ---- what is too long ----

# long EXPRESSION: of a reply that is too long for an argument; $t is the resource's text.
long() {
  perl -MJSON::PP -0777 -e 'my $d = JSON::PP->new->utf8->decode(<STDIN>)->{result};
    my $t = $d->{contents}[0]{text}; my $s = JSON::PP->new->decode($t);
    print eval shift // die $@' "$1" <<<"$reply"
}
ask resources/read '{"uri":"ckrun://sessions/big/checkpoints/latest"}'
is "a state of more than a megabyte is cut, and says so" \
  "$(long 'join " ", sort keys %{$d->{_meta}}')" "ckrun/cut ckrun/stored"
ok "to less than that" test "$(long 'length $t')" -lt 1048577
is "in its texts, as a whole" "$(long 'join " ", map { /^x+\[. \d+ more bytes\]$/ ? "cut" : $_ }
  @{$s->{state}}{qw(memory.word memory.more)}')" "cut cut"

# ---- what there is not ----

while IFS= read -r uri; do
  ask resources/read "{\"uri\":\"$uri\"}"
  is "'${uri:0:60}' is no resource" "$(code) $(json "$reply" '$d->{error}{data}{uri}')" \
    "-32002 $uri"
  ask resources/read "{\"uri\":\"$uri\",$META}"
  is "nor in the newer era" "$(code) $(json "$reply" '$d->{error}{data}{uri}')" "-32602 $uri"
done <<END
ckrun://sessions/nobody
ckrun://sessions/nobody/log
ckrun://sessions/
ckrun://sessions/trip/
ckrun://sessions/trip/logs
ckrun://sessions/trip/log/
ckrun://sessions/trip/log?
ckrun://sessions/trip/log?last=0
ckrun://sessions/trip/log?last=1&last=2
ckrun://sessions/trip/log?last=1&
ckrun://sessions/trip/log?follow=1
ckrun://sessions/trip/log?last=1&file=/etc/passwd
ckrun://sessions/trip?last=1
ckrun://sessions/trip/checkpoints/
ckrun://sessions/trip/checkpoints/nothing
ckrun://sessions/trip/checkpoints/first?limit=1
ckrun://sessions/trip/checkpoints/first/more
ckrun://sessions/--help
ckrun://sessions/-h/log
ckrun://sessions/trip/checkpoints/--file
ckrun://sessions/../../etc/passwd
ckrun://sessions/trip%2Flog
ckrun://sessions/trip/log#x
file:///etc/passwd
CKRUN://sessions/trip
ckrun://sessions/$(printf 'x%.0s' {1..300})
x
END
for params in '{}' '{"uri":7}' '{"uri":null}' '{"uri":["ckrun://sessions/trip"]}'; do
  ask resources/read "$params"
  is "no address at all: $params" "$(code)" -32602
done

# ---- what may be put into an address ----

TEMPLATE='"ref":{"type":"ref/resource","uri":"ckrun://sessions/{session}"}'
LOG='"ref":{"type":"ref/resource","uri":"ckrun://sessions/{session}/log{?last,before}"}'
completed() { json "$reply" 'join " ", sort(@{$d->{result}{completion}{values}}),
  $d->{result}{completion}{hasMore} ? "more" : "all"'; }
complete() { ask completion/complete "{$1,\"argument\":{\"name\":\"$2\",\"value\":\"$3\"}}"; }
complete "$TEMPLATE" session team
is "sessions are completed" "$(completed)" "team-a team-fork team-stolen all"
complete "$LOG,$META" session tri
is "in each address that has one, and in the newer era" "$(completed)" "trip all"
complete "$TEMPLATE" session ''
ok "an empty beginning is that of all" test "$(wc -w <<<"$(completed)")" -ge 7
while IFS='|' read -r name value want; do
  complete "$TEMPLATE" "$name" "$value"
  is "'${value:0:20}' as a $name" "$(completed)" "$want"
done <<END
session|nobody|all
session|%|all
session|$(printf 'x%.0s' {1..5000})|all
session|\\u001b[2J|all
checkpoint|l|latest all
last||all
END
for params in '{}' '{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}' \
  '{"ref":{"type":"ref/resource","uri":"ckrun://x"},"argument":{"name":"a","value":""}}' \
  "{$TEMPLATE}" "{$TEMPLATE,\"argument\":{\"name\":\"session\",\"value\":7}}" \
  "{$TEMPLATE,\"argument\":{\"name\":[],\"value\":\"\"}}"; do
  ask completion/complete "$params"
  is "nothing to complete: ${params:0:60}" "$(code)" -32602
done

# ---- the list, page by page ----

for ((i = 0; i < 50; i++)); do
  "$CKRUN" sessions fork trip --session "fork-$i" >/dev/null 2>&1
done
all= pages=0 cursor=
until [ "$cursor" = null ] || [ $pages -gt 9 ]; do
  ask resources/list "{${cursor:+\"cursor\":\"$cursor\"}}"
  cursor=$(json "$reply" '$d->{result}{nextCursor}') pages=$((pages + 1))
  all+="${all:+ }$(names)"
done
expected=$("$CKRUN" --json sessions list --limit 1000 | perl -MJSON::PP -ne '
  my $id = decode_json($_)->{session};
  print "ckrun://sessions/$id\nckrun://sessions/$id/log\nckrun://sessions/$id/checkpoints\n"')
is "every session is listed once" "$(tr ' ' '\n' <<<"$all" | sort)" "$(sort <<<"$expected")"
is "in pages" $pages 2
complete "$TEMPLATE" session fork-
is "all of fifty, at once" "$(wc -w <<<"$(completed)")" 51
for cursor in '"nobody"' 7 '""' '"-1"' '{}'; do
  ask resources/list "{\"cursor\":$cursor}"
  is "a cursor of nothing: $cursor" "$(code)" -32602
done
ask resources/templates/list
is "each form of address is a template" \
  "$(json "$reply" 'join "\n", map { $_->{uriTemplate} } @{$d->{result}{resourceTemplates}}')" \
  'ckrun://sessions/{session}
ckrun://sessions/{session}/log{?last,before}
ckrun://sessions/{session}/checkpoints{?limit,before}
ckrun://sessions/{session}/checkpoints/{checkpoint}'
exec {to}>&- {from}<&-
wait "$server"
is "it said nothing besides" "$(cat mcp.err)" ""

# ---- of somebody's sessions alone ----

serve --sessions 'team-*' --read-only
complete "$TEMPLATE" session ''
is "who may see some sessions is told of no others" \
  "$(completed | tr ' ' '\n' | grep -vc '^team-\|^all\|^more')" 0
ask resources/list
is "only sessions that there are for it are listed" "$(names | tr ' ' '\n' | grep -c .)" 6
is "by name" "$(names | grep -oE 'sessions/[a-z-]*' | sort -u | tr '\n' ' ')" \
  "sessions/team-a sessions/team-fork "
message() { json "${reply//"$1"/NAME}" '$d->{error}{message}' | sed "s/; did you mean .*//"; }
ask resources/read '{"uri":"ckrun://sessions/team-none/log"}'
none=$(message team-none)
for hidden in private team-stolen hidden-fork; do
  for path in "" /log /checkpoints /checkpoints/latest; do
    ask resources/read "{\"uri\":\"ckrun://sessions/$hidden$path\"}"
    is "$hidden$path is as none" "$(message "$hidden")" "$none"
  done
  ask resources/list "{\"cursor\":\"$hidden\"}"
  is "$hidden is no cursor" "$(code)" -32602
done
read_text ckrun://sessions/team-a
is "a fork that is not there for it is not told" \
  "$(json "$text" 'join " ", map { $_->{session} } @{$d->{forks}}')" team-fork
is "nor is anything else of it" "$(grep -c hidden <<<"$text")" 0
exec {to}>&- {from}<&-
wait "$server"
CKRUN_STORE= serve
ask resources/list
is "no store is no resource" "$(names)" ""
exec {to}>&- {from}<&-
wait "$server"
finish
