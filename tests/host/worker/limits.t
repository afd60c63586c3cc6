#!/bin/bash
# limits.t - a long queue of one profile keeps no other one waiting, and no more of a profile or a
# label run at once than were allowed: counted by what runs, outside.
. "$(dirname "$0")/../tap.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
for name in many few; do echo "return { name = \"$name\", extends = \"default\" }" >$name.lua; done
# Each act notes how many of its profile run, itself among them, by a folder for each.
cat >act <<'END'
#!/bin/sh
mkdir -p "now/$1" && mkdir "now/$1/$CKRUN_SESSION" && ls "now/$1" | wc -l >>"seen.$1"
echo "$CKRUN_SESSION" >>order
# Where they are to meet, each waits until three of its profile have.
for _ in $(seq 1000); do
  [ -e "meet.$1" ] && [ "$(sort -n "seen.$1" | tail -1)" -lt 3 ] || break
  sleep 0.02
done
rmdir "now/$1/$CKRUN_SESSION"
echo null
END
chmod +x act
for name in many few; do
  cat >flow_$name.lua <<END
local flow = require "ck.flow"
return flow.graph { name = "$name", start = "act", edges = { act = flow.done }, nodes = {
  act = flow.exec { argv = { "./act", "$name" }, class = "once" } } }
END
done
submit() {
  "$CKRUN" submit "flow_$1.lua" --profile "./$1.lua" --session "$2" "${@:3}" >/dev/null 2>&1
}
most() { sort -n "seen.$1" | tail -1; }

# ---- turns ----
for n in 1 2 3 4 5 6 7 8; do submit many "m$n"; done
for n in 1 2; do submit few "f$n"; done
exits 0 "a worker for one at a time" worker --until-idle --concurrency 1 --poll 1h
is "the profiles take turns, of each the oldest first" "$(xargs <order)" \
  "m1 f1 m2 f2 m3 m4 m5 m6 m7 m8"

# ---- at most so many of a profile ----
rm -f order seen.*
for n in 1 2 3 4 5 6; do submit many "n$n"; submit few "g$n"; done
: >meet.few
exits 0 "a limit of a profile" worker --until-idle --concurrency 6 --poll 50ms \
  --limit profile=many:2
ok "no more of it run at once" test "$(most many)" -le 2
ok "though more of others do" test "$(most few)" -gt 2
is "and each has run" "$(sort order | uniq | wc -l) $(wc -l <order)" "12 12"

# ---- and of a label ----
rm -f order seen.* meet.few
for n in 1 2 3 4; do submit many "l$n" --label gpu; submit few "k$n"; done
exits 0 "a limit of a label" worker --until-idle --concurrency 6 --poll 1h --label gpu \
  --limit label=gpu:1 --limit profile=few:3
is "one at a time" "$(most many)" 1
ok "beside others" test "$(most few)" -le 3
is "and each has run, without a poll between" "$(sort order | uniq | wc -l)" 8

# ---- mistakes ----
for word in many:2 profile=many profile=many:0 profile=:2 profile=many:x colour=red:2 \
  profile=many:2000; do
  refused 2 "--limit $word" "profile=NAME:N" worker --limit "$word"
done
refused 2 "the same twice" "second" worker --limit profile=a:1 --limit profile=a:2
finish
