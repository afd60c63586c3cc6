#!/bin/bash
# signed.t - a flow travels with its signature: a worker that trusts the key runs it from the store,
# without its files, until the key, the signature or a file of it is taken back.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/signed.sh"

exits 0 "a key" flow key "$dir/keys/team.key"
echo "$out" >"$trust"
is "that its owner alone can read" "$(stat -c %a "$dir/keys/team.key")" 600
"$CKRUN" flow key "$dir/keys/other.key" >"$dir/keys/other.pem"
exits 0 "a signature" flow sign flow.lua --with "file:$dir/keys/team.key" $files
echo "$out" >flow.sig
signed=$(json "$out" '$d->{digest}')
has "it is told how it is taken back" "$err" "revoked $signed"
# whole STATEMENT: an independent reading of what is signed: each file by the digest of its bytes.
is "it names each file" "$(json "$(json "$out" '$d->{statement}')" \
  'join " ", map { "$_->{kind}:$_->{asked}" } @{ $d->{runs}{files} }')" \
  "flow:flow.lua flow_module:lib/words.lua flow_module:lib/who.lua profile:profile.lua \
policy:loud.lua policy_module:lib/word.lua"
is "by the digest of its bytes" "$(json "$(json "$out" '$d->{statement}')" \
  'join " ", map { $_->{digest} } @{ $d->{runs}{files} }')" \
  "$(for file in flow lib/words lib/who profile loud lib/word; do digest $file.lua; done | xargs)"
if openssl genpkey -algorithm ed25519 -out "$dir/keys/openssl.key" 2>/dev/null; then
  json "$out" '$d->{statement}' >"$dir/statement"
  json "$out" '$d->{signature}' | openssl base64 -d -A >"$dir/signature"
  ok "OpenSSL says the same of the signature" openssl pkeyutl -verify -pubin -rawin \
    -inkey "$dir/keys/trusted.pem" -in "$dir/statement" -sigfile "$dir/signature"
  chmod 600 "$dir/keys/openssl.key"
  openssl pkey -in "$dir/keys/openssl.key" -pubout -out "$dir/keys/openssl.pem"
  "$CKRUN" flow sign flow.lua --with "file:$dir/keys/openssl.key" $files >openssl.sig 2>/dev/null
  exits 0 "a key of OpenSSL signs, too" submit flow.lua --signature openssl.sig $files --session ssl
else
  skip "openssl"
  skip "openssl"
fi

# ---- it travels ----
submit one
"$CKRUN" submit flow.lua $files --session plain >/dev/null 2>&1
mv "$here" "$dir/gone"
cd "$away" || exit 1
worker "$trust"
is "a worker that trusts the key" "$code" 0
has "runs it without its files" "$out" "ended	one	completed"
has "under its policy and option" "$("$CKRUN" policy explain one)" "heard and clear"
is "in the folder where the worker was started" "$(cat "$dir/places")" "$away"
has "one that is not signed is not run" "$out" \
  "refused	plain	tried again later: its flow is not signed"
[ ! -e "$dir/keys/openssl.pem" ] ||
  has "nor one of another key" "$out" "refused	ssl	tried again later: its flow is signed by none"
rm -r "$store"
mv "$dir/gone" "$here"
cd "$here" || exit 1
submit two
exits 5 "a changed file is not what was signed" submit flow.lua --profile ./profile.lua \
  --option loud.word=other --signature flow.sig
has "it is told" "$err" "is not of this flow"
exits 2 "no signature" submit flow.lua $files --signature lib/who.lua
leave

# ---- what was trusted is trusted no more ----
untrusted() { # NAME TEXT KEYFILE…
  back
  worker "${@:3}"
  has "$1" "$out" "$2"
  is "$1: nothing ran" "$(runs)" ""
}
{ cat "$trust"; echo "# taken back"; echo "revoked $signed"; } >"$dir/keys/revoked.pem"
untrusted "a signature that is revoked" "is revoked" "$dir/keys/revoked.pem"
echo "revoked $signed" >"$dir/keys/list"
untrusted "also in a file of its own" "is revoked" "$trust" --trust "$dir/keys/list"
echo "revoked $(digest "$dir/gone/lib/who.lua")" >"$dir/keys/list"
untrusted "a file of it that is revoked" "lib/who.lua is revoked" "$trust" --trust \
  "$dir/keys/list"
untrusted "a key that is not trusted any more" "signed by none" "$dir/keys/other.pem"
cp "$trust" "$dir/keys/changes.pem"
back
cat "$dir/keys/other.pem" "$trust" >"$dir/keys/both.pem"
back
worker "$dir/keys/both.pem"
is "a second key of a file" "$(cat "$dir/noted")" signed
back
cd "$dir/gone" || exit 1
"$CKRUN" flow sign flow.lua --with "file:$dir/keys/team.key" $files --expires 1ms >soon.sig \
  2>/dev/null
"$CKRUN" submit flow.lua $files --signature soon.sig --session late >/dev/null 2>&1
cd "$away" || exit 1
worker "$trust"
has "one that has expired" "$out" \
  "refused	late	tried again later: the signature of its flow has expired at"

# ---- who gives one back to the workers gives its signature back, too ----
# give_back ARGUMENTS…: where the flow lies; then nothing of it is there.
give_back() {
  back
  mv "$here" "$dir/others" && mv "$dir/gone" "$here" && cd "$here" || exit 1
  run resume two --detach "$@"
  mv "$here" "$dir/gone" && mv "$dir/others" "$here" && cd "$away" || exit 1
}
give_back --option loud.word=heard
is "a person gives a session back as it was" "$code $(grep -c 'signed with other' <<<"$err")" "0 0"
worker "$trust"
has "a worker that trusts the key runs it" "$out" "ended	two	completed"
is "as it was signed" "$(cat "$dir/noted")" signed
give_back
is "who gives it back with another option" "$code" 0
has "is told" "$err" "its flow was signed with other texts, profile, policies or options"
worker "$trust"
has "and no worker runs what was signed in its place" "$out" \
  "refused	two	tried again later: its flow is not signed"
is "nothing ran" "$(runs)" ""

# ---- whose file of keys it is ----
back
chmod go+w "$dir/keys/changes.pem"
refused 5 "keys that others can write" "others may write it" worker --until-idle --trust \
  "$dir/keys/changes.pem"
exits 5 "nor by each run" resume --queued --trust "$dir/keys/changes.pem" two
mkdir -m 777 "$dir/open"
cp "$trust" "$dir/open/keys.pem"
refused 5 "keys that others can replace" "another file in its place" worker --until-idle \
  --trust "$dir/open/keys.pem"
ln -s "$trust" "$dir/keys/link"
refused 5 "a link" "symbolic link" worker --until-idle --trust "$dir/keys/link"
refused 3 "keys that are not there" "no such file" worker --until-idle --trust "$dir/keys/none"
{ cat "$trust"; echo "revoke $signed"; } >"$dir/keys/typo.pem"
exits 2 "a word that nobody knows" worker --until-idle --trust "$dir/keys/typo.pem"
has "is no comment" "$err" "keys/typo.pem:4: neither"
exits 2 "a private key" worker --until-idle --trust "$dir/keys/team.key"
exits 2 "no key" worker --until-idle --trust "$dir/keys/list"
refused 2 "--trust of a person's resume" "--queued" resume two --trust "$trust"
refused 2 "a key itself" "never the key itself" flow sign "$dir/gone/flow.lua" --with abc
is "nothing ran" "$(runs)" ""
cd "$dir/gone" || exit 1
chmod 644 "$dir/keys/team.key"
exits 5 "a private key that others can read" flow sign flow.lua --with "file:$dir/keys/team.key"
chmod 600 "$dir/keys/team.key"
echo 'local token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"' >>lib/who.lua
sed -i '1{h;d};${G}' lib/who.lua
exits 5 "a flow that holds a secret" flow sign flow.lua --with "file:$dir/keys/team.key" $files
has "cannot travel" "$err" "cannot travel"

# ---- --flows goes on as it was, and with it ----
cp -r "$dir"/gone/{lib,loud.lua,profile.lua} "$here"
cd "$here" || exit 1
back
run worker --until-idle --flows "$here" --trust "$dir/keys/other.pem"
has "what lies in its folders is compared with what was submitted" "$out" "has changed"
finish
