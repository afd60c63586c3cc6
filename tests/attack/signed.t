#!/bin/bash
# signed.t - somebody who can write a store without a key, and make its checks, changes what belongs
# to a signed flow: a worker runs what was signed, or nothing.
. "$(dirname "$0")/../host/tap.sh"
. "$root/tests/host/signed.sh"
"$CKRUN" flow key "$dir/keys/team.key" >"$trust" 2>/dev/null
"$CKRUN" flow key "$dir/keys/other.key" >/dev/null 2>&1
sign team >flow.sig
sign other >other.sig
submit two
leave

tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
blob="UPDATE blob SET \"check\" = row_check('blob', name, kind, encoding, plain_len, mac, key_id,
  body, signatures)"
about="UPDATE timeline SET \"check\" = row_check_grown('timeline', session, no, parent, cut,
  \"begin\", checkpoint, attempt, run, parent_run, about)"
session="UPDATE session SET \"check\" = row_check_grown('session', id, status, reason, epoch,
  timeline, run, created_ms, updated_ms, profile, flow, input, failure, origin, cut, restarts,
  restarted_ms, progress, description, node)"
# with COLUMN OLD NEW: an expression with the text replaced.
with() { echo "$1 = CAST(replace(CAST($1 AS TEXT), '$2', '$3') AS BLOB)"; }
# attack NAME SQL: on the store as it was; then a worker that trusts the key, without --flows.
attack() {
  back
  ok "$1: can be written" "$tamper" "$db" "$2"
  worker "$trust"
}
# not_run NAME SQL TEXT: nothing at all is run, and why.
not_run() {
  attack "$1" "$2"
  has "$1: is refused" "$out" "refused	two	tried again later: "
  has "$1: for that" "$out" "$3"
  is "$1: nothing ran" "$(runs)" ""
}
# signed_runs NAME SQL: what was signed is what runs, whatever the store says.
signed_runs() {
  attack "$1" "$2"
  is "$1: what is signed runs" "$(cat "$dir/noted")" signed
  has "$1: under its policy" "$("$CKRUN" policy explain two)" "heard and clear"
  is "$1: where the worker is" "$(cat "$dir/places")" "$away"
}
who=$(digest "$dir/gone/lib/who.lua") loud=$(digest "$dir/gone/loud.lua")
echo 'return "wicked"' >"$dir/wicked.lua"
wicked=$(digest "$dir/wicked.lua")
text="$(with body '"signed"' '"wicked"')"
not_run "a changed module under its digest" "UPDATE blob SET $text; $blob" "its digest differs"
name="UPDATE blob SET name = x'$wicked', $text WHERE name = x'$who'"
not_run "one with the digest of its own" "$name; $blob" "lib/who.lua: it is not kept"
not_run "and named in the run's list" "$name; $blob;
  UPDATE timeline SET $(with about "$who" "$wicked"); $about" "signed by none of the keys"
not_run "a policy in the place of another" \
  "UPDATE timeline SET $(with about "$loud" "$who"); $about" "signed by none of the keys"
not_run "an option in a signed text" \
  "UPDATE timeline SET $(with about loud.word=heard loud.word=mute_); $about" "signed by none"
other=$(json "$(cat "$dir/gone/other.sig")" '$d->{signature}')
mine=$(json "$(cat "$dir/gone/flow.sig")" '$d->{signature}')
not_run "the signature of something else" "UPDATE timeline SET $(with about "$mine" "$other");
    $about" "signed by none of the keys"
not_run "no signature" "UPDATE timeline SET $(with about '"signature"' '"signatures"'); $about" \
  "signed by none of the keys"
not_run "nothing signed" "UPDATE timeline SET $(with about '"signed":{' '"x":{'); $about" \
  "its flow is not signed"
not_run "a form of another time" \
  "UPDATE timeline SET $(with about 'ckrun_flow\":1' 'ckrun_flow\":2'); $about" "signed by none"
not_run "a recording that answers for tools" "UPDATE session SET $(with input '"flow_digest"' \
  "\"cassette\":\"$here/tape.jsonl\",\"flow_digest\""); $session" "the recording"
signed_runs "files of the same names" "UPDATE session SET updated_ms = updated_ms + 1; $session"
signed_runs "another profile" "UPDATE session SET $(with input '/profile.lua' '/./profile.lua');
  $session"
signed_runs "another folder" "UPDATE timeline SET $(with about "\"directory\":\"$here\"" \
  "\"directory\":\"$dir\""); $about"
signed_runs "other names for the files" "UPDATE timeline SET $(with about \
  "\"file\":\"$here" "\"file\":\"$dir"); $about"

finish
