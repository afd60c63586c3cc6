#!/bin/bash
# standing.t - what workers go on with has words of its own: queued, sleeping, retrying; everywhere
# the same ones. Counted by perl from the records: what a session waits for is told there by its
# reason, and by the mark of its last run.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../mcp/client.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1

cat >flows.sh <<'END'
flow() { # NAME NODE
  printf 'local flow = require "ck.flow"\nreturn flow.graph { name = "%s", start = "one",
    edges = { one = flow.done }, nodes = { one = %s } }\n' "$1" "$2" >"$1.lua"
}
END
. ./flows.sh
flow end 'flow.exec { argv = { "true" }, class = "idempotent" }'
flow nap 'flow.sleep(3600000)'
flow ask 'flow.ask { question = "go?" }'
flow fails 'flow.exec { argv = { "false" }, class = "idempotent" }'
echo 'return { name = "hourly", version = 1, on_failure = function(f)
  return { "retry", wait_ms = 3600000 } end }' >hourly.lua

during=(true)
worker() { # LINE ARGUMENTS…: until it has said that.
  local line=$1 pid
  shift
  : >worker.out; : >worker.err
  "$CKRUN" worker --poll 50ms "$@" >worker.out 2>worker.err </dev/null 3>&- 4>&- &
  pid=$!
  for _ in $(seq 3000); do
    [ "$(cat worker.out worker.err | grep -c "$line")" -ge "${times:-1}" ] && break
    kill -0 "$pid" || break
    sleep 0.02
  done
  "${during[@]}"
  kill -TERM "$pid"; wait "$pid"
}

# fill: a session of each kind, named by what it is for people.
fill() {
  {
    "$CKRUN" run end.lua --session completed
    "$CKRUN" run ask.lua --session waiting
    "$CKRUN" run ask.lua --session paused-theirs
    "$CKRUN" answer paused-theirs yes # nobody but a person resumes it
    "$CKRUN" submit end.lua --session queued --label gpu
    "$CKRUN" submit end.lua --session queued-other --label gpu
    "$CKRUN" submit end.lua --session paused
    "$CKRUN" pause paused --reason "not today"
    "$CKRUN" submit nap.lua --session sleeping --label now
    "$CKRUN" submit fails.lua --session retrying --label now --policy ./hourly.lua
    "$CKRUN" submit ask.lua --session queued-answered --label now
  } </dev/null >fill.out 2>&1
  "$CKRUN" pause queued --reason later >/dev/null 2>&1
  times=3 worker "^ended" --label now --concurrency 4
  "$CKRUN" answer queued-answered yes >/dev/null 2>&1
  "$CKRUN" resume queued --detach --label gpu >/dev/null 2>&1
}
# words: each session, and the word by which the program lists it.
words() { "$CKRUN" sessions list | awk -F'\t' '{ print $1, $2 }' | sort; }
# recorded: each session, and its word worked out from its record and its log alone.
recorded() {
  "$CKRUN" --json sessions list >list.json
  perl -MJSON::PP -ne 'my $d = decode_json($_); my $is = $d->{status}; my $why = $d->{reason} // "";
    if ($is eq "paused") {
      my $show = decode_json(`"\$CKRUN" --json sessions show $d->{session}`);
      my $of_workers = $show->{queued};
      $is = $why =~ /^sleeping until \d/ ? "sleeping" : $why =~ /^retrying at \d/ ? "retrying"
        : $why =~ /^(queued|answered|resolved)$/ && $of_workers ? "queued" : "paused";
      my $awaits = $d->{awaits} // "";
      print "$d->{session} has awaits $awaits\n" if $awaits ne ($is eq "paused" ? "" : $is);
      print "$d->{session} is shown with awaits otherwise\n" if ($show->{awaits} // "") ne $awaits;
    } elsif (exists $d->{awaits}) { print "$d->{session} awaits something\n" }
    print "$d->{session} $is\n"' list.json | sort
}
# counts: of words, "WORD N" each.
counts() { awk '{ n[$2]++ } END { for (w in n) print w, n[w] }' | sort; }
get_metrics() {
  local url
  url=$(sed -n 's/^.*metrics at \(http:[^ ]*\).*/\1/p' worker.err | head -1)
  perl -MHTTP::Tiny -e 'print HTTP::Tiny->new(timeout => 20)->get($ARGV[0])->{content}' "$url" \
    >metrics
}

check() { # WHERE
  fill
  is "$1: there is one of each kind" "$(words | wc -l)" 9
  is "$1: each is listed by what it waits for" "$(words)" "$(cut -d' ' -f1 <(words) |
    sed 's/^\([a-z]*\).*/& \1/')"
  is "$1: which is what its record and its mark say" "$(words)" "$(recorded)"
  for word in queued sleeping retrying paused waiting completed running; do
    is "$1: --status $word lists those alone" \
      "$("$CKRUN" --json sessions list --status "$word" |
        perl -MJSON::PP -ne 'print decode_json($_)->{session}, " '"$word"'\n"' | sort)" \
      "$(recorded | grep " $word\$")"
  done
  has "$1: show says it on its second line" "$("$CKRUN" sessions show sleeping)" "status	sleeping"
  is "$1: its status is what it was" "$(json "$("$CKRUN" --json sessions show sleeping)" \
    '"$d->{status} $d->{awaits}"')" "paused sleeping"
  call list_resumable_sessions '{"limit":1000}'
  is "$1: clients of MCP are told the same" "$(json "$result" 'join "\n", sort map {
    $_->{session_id} . " " . ($_->{awaits} // $_->{status}) } @{$d->{sessions}}')" \
    "$(recorded | grep -v ' completed$')"
  is "$1: and the status beside it" "$(json "$result" 'join "\n", sort map { $_->{session_id} .
    " $_->{status}" } grep { $_->{awaits} } @{$d->{sessions}}')" \
    "$(recorded | sed -n 's/ \(queued\|sleeping\|retrying\)$/ paused/p')"
  during=(get_metrics)
  worker "metrics at" --label none --metrics 127.0.0.1:0
  if grep -q "built without\|cannot be loaded" worker.err; then skip "no libmicrohttpd"; return; fi
  "$CKRUN" sessions list >/dev/null
  is "$1: metrics count the same" \
    "$(sed -n 's/^ckrun_sessions{status="\([a-z_]*\)"} \([1-9].*\)/\1 \2/p' metrics | sort)" \
    "$(recorded | counts)"
  is "$1: what is due now is the queue's depth" \
    "$(awk '$1 == "ckrun_queue_depth" { print $2 }' metrics)" "$(recorded | grep -c ' queued$')"
  ok "$1: the oldest is as old as the record says" perl -MJSON::PP -MTime::Local -e '
    my ($said, $most) = (shift, 0);
    for (<>) { my $d = decode_json($_); next if ($d->{awaits} // "") ne "queued";
      my @t = $d->{updated} =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):([\d.]+)Z/ or die $d->{updated};
      my $age = time - timegm(0, @t[4, 3, 2], $t[1] - 1, $t[0]) - $t[5];
      $most = $age if $age > $most }
    # It was said before this is counted.
    exit !($said > 0 && $said <= $most + 1)' \
    "$(awk '$1 == "ckrun_queue_oldest_seconds" { print $2 }' metrics)" list.json
}

serve
check "in a file"
exits 2 "another word is none" sessions list --status sleepy
has "which is told" "$err" "'sleepy' is not known"
finish
