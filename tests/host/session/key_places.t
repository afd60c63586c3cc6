#!/bin/bash
# key_places.t - where keys and secrets come from: systemd's credentials, the kernel's keyring, a
# command. Each is as good as a file, and each that gives nothing says why and what to do. A command
# is for the key of a store alone: a reference that a store has kept runs none.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
umask 077
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "echo \"it is $TOKEN\"" },
  env = { TOKEN = { ref = os_token } } }
END
flow() { sed "s|os_token|\"$1\"|" flow.lua >"flow-$2.lua"; }
exits 0 "a key" key new key
exits 0 "another one" key new other
hex=$(cat key)
export CKRUN_STORE=$PWD/s.db
exits 0 "a store with the key" --key file:key facts set a 1

# opens NAME ARGUMENTS…: the same key, from elsewhere.
opens() {
  local name=$1
  shift
  exits 0 "$name opens the store" "$@" facts list
  has "$name: what is in it is read" "$out" "a	"
  is "$name: the key is not said" "$(grep -c "$hex" <<<"$out$err")" 0
}

# ---- a credential ----

refused 4 "no credentials" '$CREDENTIALS_DIRECTORY is not set' --key credential:store facts list
mkdir credentials && cp key credentials/store && chmod 400 credentials/store
export CREDENTIALS_DIRECTORY=$PWD/credentials
opens "a credential" --key credential:store
refused 4 "one that is not there" "credential:none cannot be opened" --key credential:none \
  facts list
refused 4 "no name" "names no credential" --key credential: facts list
for name in ../key store/../../key . ..; do
  refused 4 "out of the folder: $name" "names no credential" --key "credential:$name" facts list
done
chmod 444 credentials/store
refused 5 "one that everybody can read" "can be read or written by others" --key credential:store \
  facts list
chmod 400 credentials/store
printf 'canary-horse-4711\n' >credentials/token
flow credential:token credential
exits 0 "a secret of a flow" --key credential:store run flow-credential.lua --session told
has "which is masked" "$out" "it is [redacted:"

# ---- a command ----

opens "a command" --key "command:cat key"
opens "the shell's words" --key 'command:printf %s "$(cat key)"'
export CKRUN_KEY_COMMAND="cat '$PWD/key'"
opens "the command of the environment"
is "and not named in what to do next" "$("$CKRUN" run flow-credential.lua --session next |
  grep -c 'command')" 0
CKRUN_KEY=$(cat other) refused 4 "a key beside it comes first" "the key given by env:CKRUN_KEY is" \
  facts list
export CKRUN_KEY_COMMAND="exit 3"
refused 4 "one that fails" "command 'exit 3' failed with exit code 3" facts list
unset CKRUN_KEY_COMMAND
refused 4 "none at all" 'or in $CKRUN_KEY_COMMAND' --key command: facts list
refused 4 "one that prints nothing" "command:true is empty" --key command:true facts list
refused 2 "one that prints no key" "holds 2 characters" --key "command:echo no" facts list
refused 4 "one that is killed" "was ended by signal 9" --key 'command:kill -9 $$' facts list
refused 4 "one that prints without end" "prints more than 65536 bytes" --key command:yes facts list
run --key "command:/nowhere" facts list
has "one that is not there" "$err" "failed with exit code 127"
has "whose own words are shown" "$err" "not found"
: >ran
opens "one that counts" --key 'command:echo >>ran; cat key'
exits 0 "it is asked once in a run" --key 'command:echo >>ran; cat key' run flow-credential.lua \
  --session once
is "and once in a listing" "$(wc -l <ran)" 2
cat <<<"$hex" | "$CKRUN" --key 'command:cat key; cat' facts list >out 2>err
is "it does not read what ckrun is given" "$? $(grep -c a out)" "0 1"
flow "command:echo ran >>evil" evil
run --key file:key run flow-evil.lua --session evil
is "of a flow a command is no reference" "$((code != 0)) $(ls evil 2>/dev/null)" "1 "
run --key file:key run flow-credential.lua --session edit --set-env "x=command:touch evil"
is "nor of an edit" "$((code != 0)) $(ls evil 2>/dev/null)" "1 "
printf 'return { name = "sealing", key = "command:cat %s/key" }\n' "$PWD" >sealing.lua
exits 0 "of a profile it is the store's key" --store sealed.db run flow-credential.lua --profile \
  ./sealing.lua
exits 0 "which the store has" --store sealed.db --key file:key sessions list
printf 'return { name = "evil", secrets = { t = "command:touch evil" } }\n' >evil.lua
refused 2 "and nothing else of it" '"keyring:NAME" is expected' --key file:key run \
  flow-credential.lua --profile ./evil.lua

# A key is a known secret of each session, wherever it is from: looked at with another one later.
cat >cat.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "echo \"it is $(cat key)\"" } }
END
exits 0 "a program prints the key" --key 'command:cat key' run cat.lua --session printed
exits 0 "the store gets another one" --key file:key key rotate --new-key file:other
exits 0 "with which the session is read" --key file:other sessions log printed --all
is "the key that it was made with is masked" \
  "$(grep -c 'it is \[redacted:store_key' <<<"$out") $(grep -c "$hex" <<<"$out")" "2 0"
cp other key && hex=$(cat key)

# ---- the kernel's keyring ----

tool=$CKRUN_BUILD/tests/host/session/tool_keyring
"$tool" ckrun-test x true >/dev/null 2>&1
if [ $? != 77 ]; then
  out=$("$tool" ckrun-test "$hex" "$CKRUN" --key keyring:ckrun-test facts list 2>err)
  is "a key of the session opens the store" "$? $(cut -f2 <<<"$out")" "0 a"
  flow keyring:ckrun-token keyring
  out=$("$tool" ckrun-token canary-mule-4712 "$CKRUN" --key file:key run flow-keyring.lua \
    --session ring 2>err)
  has "a secret of a flow, masked" "$out" "it is [redacted:"
  refused 4 "one that is in none" "keyring:ckrun-none is in no keyring" --key keyring:ckrun-none \
    facts list
else
  run --key keyring:ckrun-none facts list
  is "where the kernel has none it is said" "$code $(grep -c 'keyring:ckrun-none' <<<"$err")" "4 1"
fi
refused 4 "no name" "names no key" --key keyring: facts list
is "no secret is in any file of the store" "$(cat s.db* 2>/dev/null | grep -ac canary-)" 0
finish
