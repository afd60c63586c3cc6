#!/bin/bash
# own_files.t - an agent with every permission for files, and a person who names the store in the
# wrong place: the store is whole, and so is what ckrun works by.
. "$(dirname "$0")/../host/tap.sh"

agent=${CKRUN_BUILD:?the folder of the build}/tests/effect/acp/tool_acp_agent
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db
(umask 077 && "$CKRUN" key new store.key >/dev/null && echo correct-horse-battery >token)
mkdir .git
echo '[core]' >.git/config
cat >open.lua <<'END'
return { name = "open", policies = { "every_boundary" }, agent_files = true,
  permissions = { ["*"] = "allow" }, secrets = { token = "file:token" } }
END
cat >tasks.lua <<END
local flow = require "ck.flow"
return flow.custom {
  processes = { coder = flow.acp { argv = { "$agent" } } },
  run = function(ctx)
    local heard = {}
    for i, task in ipairs(ctx.input) do
      local request = { process = "coder", prompt = task }
      local done = ctx.effect { kind = "agent", class = "once", request = request }
      heard[i] = done.result.text
    end
    return heard
  end,
}
END

own="s.db s.db-wal s.db-shm s.db.lock s.db-journal store.key token tasks.lua open.lua .git/config"
cp tasks.lua tasks.before
cp open.lua open.before
cp store.key key.before
for verb in read write; do
  tasks=
  for name in $own; do tasks="$tasks,\"$verb $dir/$name\""; done
  run --key file:store.key run tasks.lua --profile ./open.lua --session "$verb" \
    --input "[${tasks#,}]"
  is "$verb: the session completes" "$code" 0
  is "$verb: each of them is refused" \
    "$(grep -o 'and not for agents' <<<"$out" | wc -l)" "$([ $verb = read ] && echo 9 || echo 10)"
done
ok "the flow is as it was" cmp tasks.lua tasks.before
ok "the profile is as it was" cmp open.lua open.before
ok "the key is as it was" cmp store.key key.before
is "the secret is as it was" "$(cat token)" correct-horse-battery
is "the repository is as it was" "$(cat .git/config)" '[core]'
run --key file:store.key store verify
has "the store is whole" "$err" "all is well"

# An agent needs no ckrun to rename a file, or to give it a further name. (A store that is renamed
# while it is written stops the session: tests/effect/acp/test_acp_files.c renames one at rest.)
for verb in read write; do
  tasks=
  for name in store.key token tasks.lua open.lua; do
    tasks="$tasks,\"rename $verb $dir/$name\""
  done
  run --key file:store.key run tasks.lua --profile ./open.lua --session "renamed-$verb" \
    --input "[${tasks#,}]"
  is "renamed, $verb: the session completes" "$code" 0
  is "renamed, $verb: each of them is refused" "$(grep -o 'and not for agents' <<<"$out" | wc -l)" 4
done
ok "the flow is the one before" cmp tasks.lua tasks.before
ok "the key is the one before" cmp store.key key.before
run --key file:store.key run tasks.lua --profile ./open.lua --session linked \
  --input "[\"link-locks $dir/s.db.sessions\",\"read $dir/linked.txt\"]"
has "the session's lock has two names" "$out" linked
has "it is not read by either" "$out" "linked.txt is a file of the store"
run --key file:store.key run tasks.lua --profile ./open.lua --session early --record early.jsonl \
  --input "[\"write $dir/early.jsonl\"]"
has "a recording that is still to be made is not written" "$out" "and not for agents"
ok "it is made by ckrun" [ -s early.jsonl ]
run --key file:store.key store verify
has "the store is as whole" "$err" "all is well"

# An agent that may write nothing by rule writes nothing.
cat >closed.lua <<'END'
return { name = "closed", agent_files = true, permissions = { read = "allow" } }
END
run --key file:store.key run tasks.lua --profile ./closed.lua --session closed \
  --input "[\"write $dir/new.txt\",\"read $dir/.gitignore\",\"write $dir/s.db\"]"
is "without permission nothing is written" "$([ -e new.txt ] || echo nothing) $code" "nothing 0"
has "the agent hears why" "$out" "there is no permission to edit this file now"

# ---- a person, or a flow, that names the store ----

before=$(stat -c '%i' s.db)
for target in s.db s.db-wal s.db-shm s.db.lock; do
  refused 5 "an export onto $target" "is a file of the open store" --key file:store.key \
    sessions export read --format cassette --output "$target"
done
ln s.db hard
refused 5 "an import of the store by another name" "is a file of the open store" \
  --key file:store.key sessions import hard
cat >reads.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "true" }, env = { A = { ref = "file:s.db-shm" } } }
END
run --key file:store.key run reads.lua --session reads
has "a secret that is said to be in the store is not read" "$err$out" "is a file of the open store"

# ---- a recording of a run ----

cp closed.lua profile.before
cat >pays.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "echo paid >>paid" }, cwd = "." }
END
cp pays.lua pays.before
cat >later.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "later", run = function(ctx) ctx.pause("later") return 1 end }
END
mkdir -p folder s.db.spill && ln -f store.key key.too
run --key file:store.key run later.lua --session later
is "a session is paused" "$code" 8
for target in s.db s.db-wal s.db.lock s.db.sessions/any.lock s.db.spill/any hard store.key key.too \
  pays.lua closed.lua; do
  run --key file:store.key run pays.lua --profile ./closed.lua --session recorded --record "$target"
  is "a recording onto $target is refused" "$code" 5
  has "and named" "$err" "--record: $target is "
done
for target in s.db s.db-wal s.db.spill/any store.key later.lua; do
  run --key file:store.key resume later --record "$target"
  is "a resume with a recording onto $target is refused" "$code" 5
  has "and named, too" "$err" "--record: $target is "
done
run --key file:store.key sessions show later
has "the session stays paused" "$out" $'status\tpaused'
run --key file:store.key run pays.lua --profile ./closed.lua --session recorded --record folder
is "a recording onto a folder is refused" "$code" 2
is "before anything was done" "$([ -e paid ] || echo nothing)" nothing
run --key file:store.key sessions show recorded
is "or begun" "$code" 3
ok "key, profile and flow are those before" sh -c \
  'cmp store.key key.before && cmp closed.lua profile.before && cmp pays.lua pays.before'
run --key file:store.key run pays.lua --profile ./closed.lua --session recorded \
  --record s.db.tape.jsonl
is "beside the store under a name of its own it is written" "$code $(cat paid)" "0 paid"
ok "by ckrun" [ -s s.db.tape.jsonl ]
is "the store is the same file" "$(stat -c '%i' s.db)" "$before"
run --key file:store.key store verify
has "the store is still whole" "$err" "all is well"
finish
