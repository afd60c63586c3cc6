#!/bin/bash
# profiles.t - the five shipped profiles, each in one life of its system: it starts, pauses, fails,
# is resumed and ends. What is said of it is held to its transcript by the oracle, and the texts of
# each system stand word for word where its user meets them. Under the sanitizers every other life,
# others with each commit.
. "$(dirname "$0")/../oracle/oracle.sh"
. "$(dirname "$0")/../host/mcp/client.sh"
eval "serve_mcp() $(declare -f serve | tail -n +2)" # models.sh serves models
. "$(dirname "$0")/../host/models.sh"

# life PROFILE [FIELDS]: a store of its own, and a profile that adds a model at the port to the
# shipped one.
life() {
  export CKRUN_STORE=sqlite:$dir/$1.db
  cat >"$1.lua" <<END
return { name = "mine", extends = "$1", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "http://127.0.0.1:$port/v1",
    model = "test-model", key = "main", retries = 0, stream = false, max_tokens = 1500,
    price = { input = 1, output = 1000 } } }, ${2:-} }
END
}
# say TEXT, call NAME ARGUMENTS…: one answer of the model, for 1,200 tokens of output ($1.20).
usage='"usage":{"input":0,"output":1200}'
say() { echo '{"answer":{"text":"'"$1"'",'"$usage"'}}'; }
ask_for() {
  local calls=
  while [ $# -gt 0 ]; do calls+="${calls:+,}{\"name\":\"$1\",\"arguments\":$2}"; shift 2; done
  echo '{"answer":{"calls":['"$calls"'],'"$usage"'}}'
}
breaks='{"status":500,"body":"away"}'
# log EXPRESSION SESSION OPTION…: of each event $_ of the transcript, a line where it is defined.
log() {
  local expression=$1
  shift
  "$CKRUN" --json sessions log "$@" | perl -MJSON::PP -CO -ne '
    BEGIN { $e = shift } $_ = JSON::PP->new->utf8->decode($_);
    $v = eval $e; die $@ if $@; print ref $v ? JSON::PP->new->canonical->encode($v) : $v, "\n"
      if defined $v' "$expression"
}
checkpoints() { "$CKRUN" sessions checkpoints "$1" | cut -f3 | tr '\n' ' '; }
inspected() { json "$("$CKRUN" --json sessions inspect "$1")" "$2"; }
status() { cell "$("$CKRUN" sessions show "$1")" status; }
totals() { # calls of models and of tools, runs
  json "$("$CKRUN" --json sessions show "$1")" \
    'join " ", @{$d->{totals}}{qw(model_calls tool_calls)}, scalar @{$d->{runs}}'
}

every=1
[ -z "${CKRUN_SPARSE:-}" ] || every=2
lives=$(printf '%s\n' deliberation graph explore loop portable | "$root/tests/turn.sh" $every)
for life in $lives; do
  . "$root/tests/examples/profiles/$life.sh"
done
finish
