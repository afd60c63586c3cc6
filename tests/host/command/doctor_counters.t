#!/bin/bash
# doctor_counters.t - doctor tells a store that was set back, and the counters of stores that are
# gone; each command that ckrun prints for a store is one that a shell runs, whatever its path is.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
mkdir bin && ln -s "$CKRUN" bin/ckrun
export PATH=$dir/bin:$PATH
unset CKRUN_STORE
counters=$HOME/.local/state/ckrun/counters
umask 077
cat >flow.lua <<'LUA'
return require("ck.flow").exec { argv = { "true" } }
LUA

# finding STORE CHECK MEMBER: of the first finding of that check.
finding() {
  json "$("$CKRUN" --store "$1" --json doctor 2>/dev/null)" \
    "(map { \$_->{$3} } grep { \$_->{check} eq '$2' } @{\$d->{findings}})[0]"
}
# quoted TEXT: the command in quotes that a message has last.
quoted() { sed -n "s/.*'\(ckrun --store .* store accept-rollback\)'.*/\1/p" <<<"$1"; }

number=0
for name in plain 'with blanks' "with'quote" 'with"double' 'with$HOME' 'with`id`' 'with\backslash' \
  '~tilde' 'semi;colon & more' 'star*' '#hash' 'bang!' '(paren) [x] {y}' '-dash'; do
  number=$((number + 1))
  folder="$dir/$number $name"
  mkdir "$folder"
  path="$folder/$name.db"
  exits 0 "$name: a session" --store "$path" run flow.lua --session one
  is "$name: is whole" "$(finding "$path" rollback text)" null
  cp "$path" older
  exits 0 "$name: a fact" --store "$path" facts set k 1
  cp older "$path"
  rm -f "$path-wal" "$path-shm"
  run --store "$path" facts set k 2
  is "$name: set back it is refused" "$code" 7
  command=$(quoted "$err")
  run --store "$path" doctor
  is "$name: doctor says that it is damaged" "$code" 7
  has "$name: and how" "$(finding "$path" rollback text)" "was set back: it is at change"
  remedy=$(finding "$path" rollback remedy)
  if [ $((number % 2)) = 0 ]; then command=$remedy; fi
  bash -c "$command" >/dev/null 2>said
  is "$name: the command that is printed takes it" "$? $(head -c 200 said)" "0 "
  exits 0 "$name: and it can be written again" --store "$path" facts set k 3
  is "$name: doctor has nothing to say" "$(finding "$path" rollback text)" null
done

# ---- counters of what is gone ----

keep="$dir/keep.db"
exits 0 "another store" --store "$keep" run flow.lua --session one
is "no counter is left behind" "$(finding "$keep" counter text)" null
before=$(find "$counters" -type f | wc -l)
rm -r "$dir/2 with blanks"
run --store "$keep" doctor
is "a store that goes leaves its counter, which is no fault" "$code" 0
has "doctor tells whose it was" "$(finding "$keep" counter text)" \
  "$dir/2 with blanks/with blanks.db"
bash -c "$(finding "$keep" counter remedy)"
is "the remedy removes it" "$(find "$counters" -type f | wc -l)" $((before - 1))
is "and no other" "$(finding "$keep" counter text)" null
echo "not a counter" >"$counters/0123456789abcdef0123456789abcdef"
mkdir "$counters/0123456789abcdef0123456789abcdee"
ln -s /dev/zero "$counters/0123456789abcdef0123456789abcded"
mkfifo "$counters/0123456789abcdef0123456789abcdec"
is "what is no counter is left alone" "$(finding "$keep" counter text)" null

# ---- an archive that is not taken back ----

arch="$dir/an archive \$HOME.db"
exits 0 "an archive" --store "$keep" sessions export one --format archive -o "$arch"
exits 0 "of a session that is made anew" --store "$keep" sessions delete one --yes
exits 0 "and is another one" --store "$keep" run flow.lua --session one
run --store "$keep" sessions import "$arch"
command=$(sed -n "s/.*nothing is taken back; '\(ckrun --store .*\)' reads it.*/\1/p" <<<"$err")
bash -c "$command sessions show one" >/dev/null 2>said
is "it can be read by the command that is told" "$code $? $(head -c 200 said)" "5 0 "
finish
