#!/bin/bash
# list.t - policy list and profile list: which there are, shipped and found; policy new: what it
# makes is checked, tested and used as it is.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# json_lines TEXT EXPRESSION: of each line, whose object is $d; one result a line.
json_lines() {
  perl -MJSON::PP -e 'for (split /\n/, shift) {
    my $d = decode_json($_);
    print map { "$_\n" } eval $ARGV[0];
  }' "$1" "$2"
}

# ---- shipped ones: what lies in the repository ----

exits 0 "policies" --json policy list
is "every shipped policy, in order" "$(json_lines "$out" '$d->{reference}')" \
  "$(cd "$root/policies" && LC_ALL=C ls -- *.lua | sed 's/\.lua$//')"
is "each with its own name" "$(json_lines "$out" '$d->{name}')" \
  "$(json_lines "$out" '$d->{reference}')"
is "shipped, and without a problem" \
  "$(json_lines "$out" '($d->{shipped} ? "yes" : "no") . ($d->{problem} // "")' | sort -u)" yes
for name in $(json_lines "$out" '$d->{reference}'); do
  is "$name: the summary is its first comment" \
    "$(json_lines "$out" '$d->{reference} eq "'"$name"'" ? $d->{summary} : ()')" \
    "$(sed -n '/^--- /!q; s/^--- //p' "$root/policies/$name.lua" | paste -sd ' ')"
  is "$name: the hooks are its functions" \
    "$(json_lines "$out" '$d->{name} eq "'"$name"'" ? map { $_->{hook} } @{$d->{hooks}} : ()')" \
    "$(sed -n 's/^function policy\.\([a-z_]*\)(.*/\1/p' "$root/policies/$name.lua" |
      grep -v '^check$')"
done
exits 0 "profiles" --json profile list
is "every shipped profile, in order" "$(json_lines "$out" '$d->{reference}')" \
  "$(cd "$root/policies/profiles" && LC_ALL=C ls -- *.lua | sed 's/\.lua$//')"
is "with the policies it lists" \
  "$(json_lines "$out" '$d->{reference} eq "loop" ? "@{$d->{policies}}" : ()')" \
  "tool_rounds before_effect keep_recent"

# ---- policy new: one of each hook works as it is ----

hooks="checkpoint prune redact resume tail on_failure in_doubt permit migrate"
for hook in $hooks; do
  exits 0 "new $hook" policy new "mine_$hook" --hook "$hook"
  is "$hook: the two files" "$out" "mine_$hook.lua
mine_${hook}_test.lua"
  exits 0 "$hook: check" policy check "mine_$hook.lua"
  has "$hook: it has that hook" "$out" "hook	$hook"
  exits 0 "$hook: test" policy test "mine_$hook.lua"
  ok "$hook: there are tests" grep -q '^ok 1' <<<"$out"
  is "$hook: under its own name alone" "$(cat "mine_$hook"*.lua | grep -c my_policy)" 0
done
is "these are all hooks" "$(LC_ALL=C ls mine_*_test.lua | wc -l)" \
  "$(sed -n '/^#define CK_POLICY_HOOK_TABLE/,/clang-format on/p' "$root/lua/policy/hooks.h" |
    grep -c '^ *X([a-z_]*, CK_VIEW')"
for hook in $hooks; do # a test that cannot fail is none
  sed "s/^function policy\.$hook(.*/&\n  do return nil end/" "mine_$hook.lua" >"broken_$hook.lua"
  sed "s/mine_$hook/broken_$hook/" "mine_${hook}_test.lua" >"broken_${hook}_test.lua"
  exits 1 "$hook: its tests fail without it" policy test "broken_$hook.lua"
done
rm broken_*
exits 0 "the tests of a folder" policy test .
is "are those of its files, in their order" \
  "$(sed -n 's/^ok [0-9]* - \.\/\(mine_.*_test.lua\): .*/\1/p' <<<"$out" | uniq)" \
  "$(LC_ALL=C ls mine_*_test.lua)"
mkdir none
refused 3 "a folder without tests" "none: there is no file of tests" policy test none
echo 'return { test_no = function() error "no" end }' >none/bad_test.lua
exits 1 "one that fails" policy test none
rm -f .luarc.json
exits 0 "a name alone" policy new plain
is "settings for editors are made beside it" "$(json "$(cat .luarc.json)" \
  '"$d->{q(runtime.version)} " . scalar(@{$d->{q(workspace.library)}})')" "Lua 5.4 1"
ok "which name the folder of the annotations" grep -q '^---@meta ck' \
  "$(json "$(cat .luarc.json)" '$d->{q(workspace.library)}[0]')/ck/meta.lua"
echo '{}' >.luarc.json
exits 0 "where there are settings" policy new plainer
is "they are left as they are" "$(cat .luarc.json)" '{}'
exits 0 "is a checkpoint policy" policy check plain.lua
has "with its hook" "$out" "hook	checkpoint"
echo kept >taken_test.lua
refused 5 "a test that is there" "taken_test.lua is there already" policy new taken
ok "makes no policy either" test ! -e taken.lua
is "and is left as it is" "$(cat taken_test.lua)" kept
refused 2 "a name with a slash" "'a/b' is no name of a policy" policy new a/b
refused 2 "an empty name" "is no name of a policy" policy new ""
refused 2 "a name too long" "is no name of a policy" policy new "$(printf 'a%.0s' {1..65})"
refused 2 "no such hook" "--hook" policy new b --hook checkpont

# ---- found ones ----

mkdir -p house/policies/profiles house/profiles
mv plain.lua house/policies
mv mine_prune.lua mine_prune_test.lua house
cat >house/mine.lua <<'END'
--- mine.lua - a profile that
--- says what it is.
---@type table
--- Not this.
return { name = "house", extends = "loop", policies = { "./mine_prune.lua" } }
END
cp house/mine.lua house/profiles/b.lua
sed -i 's#./mine#../mine#' house/profiles/b.lua
echo 'return { name = "deep", extends = "graph" }' >house/policies/profiles/deep.lua
echo 'return require("ck.flow").exec { argv = { "true" } }' >house/flow.lua
echo 'return { limit = function(opt) return opt.n end }' >house/library.lua
echo 'return { name = "typo", version = 1, checkpont = function() end }' >house/typo.lua
echo 'return { name = "typos", extend = "loop" }' >house/typos.lua
echo 'return require "./library"' >house/again.lua
exits 0 "found policies" --json policy list house
is "of the folder, then of policies/ in it" \
  "$(json_lines "$out" '$d->{shipped} || $d->{problem} ? () : "$d->{reference} $d->{name}"')" \
  "house/mine_prune.lua mine_prune
house/policies/plain.lua plain"
is "one with a mistake has the reason; flows, libraries and profiles are not told" \
  "$(json_lines "$out" '$d->{problem} ? $d->{reference} : ()')" "house/again.lua
house/typo.lua"
rm house/again.lua
exits 0 "found profiles" --json profile list house
is "of profiles with a mistake, too; flows, libraries and policies are not told" \
  "$(json_lines "$out" '$d->{problem} ? $d->{reference} : ()')" "house/typos.lua"
is "of the folder, of profiles/ and of policies/profiles/" \
  "$(json_lines "$out" '$d->{shipped} || $d->{problem} ? () : "$d->{reference} $d->{name}"')" \
  "house/mine.lua house
house/profiles/b.lua house
house/policies/profiles/deep.lua deep"
is "the comment of several lines, without the file's own name" \
  "$(json_lines "$out" '$d->{reference} eq "house/mine.lua" ? $d->{summary} : ()')" \
  "a profile that says what it is."
is "inherited policies" \
  "$(json_lines "$out" '$d->{reference} =~ /deep/ ? "@{$d->{policies}}" : ()')" \
  "every_boundary keep_recent resume_limits"
for path in house/mine.lua house/profiles/b.lua house/policies/profiles/deep.lua; do
  exits 0 "--profile takes $path" profile check "$path"
done
exits 0 "for people" policy list house
is "a row each, tests left out" "$(grep -c '^house/' <<<"$out")" 2
has "with its hook and summary" "$out" "house/mine_prune.lua	prune	The newest "
is "what has a mistake is named, and nothing else" "$err" \
  "not listed, 'ckrun policy check FILE' tells why: house/typo.lua"
(cd house && "$CKRUN" profile list >"$dir/out" 2>&1)
has "the current folder by default" "$(cat out)" \
  "./mine.lua	$dir/house/mine_prune.lua	a profile that"
refused 3 "a folder that is not there" "cannot list folder nowhere" policy list nowhere
refused 3 "a file" "cannot list folder house/mine.lua" profile list house/mine.lua
touch house/policies/profiles/x && mv house/profiles house/kept && touch house/profiles
exits 0 "a file called profiles is no folder" profile list house
rm house/profiles && mv house/kept house/profiles
echo 'while true do end' >house/policies/endless.lua
exits 0 "a file without end is passed over" policy list house
has "and named" "$err" "house/policies/endless.lua"

finish
