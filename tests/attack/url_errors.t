#!/bin/bash
# url_errors.t - a password that somebody puts into the name of a store with a mistake is in no
# error, log or document.
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1
export CKRUN_COUNTERS=off CKRUN_LOG=debug
secret=Qz7SuperBird

# Without a mistake they are refused or not there, too: nobody listens at port 1.
while read -r url; do
  for how in variable option; do
    given=() variable=$url
    [ $how = variable ] || { given=(--store "$url"); variable=; }
    said=$(for words in "sessions list" "--json sessions list" doctor "--json doctor" \
      "run flow.lua"; do CKRUN_STORE=$variable timeout 30 "$CKRUN" "${given[@]}" $words 2>&1; done)
    is "$how ${url//$secret/PASSWORD}: is not told" "$(grep -c "$secret" <<<"$said")" 0
    ok "$how ${url//$secret/PASSWORD}: nor kept" test -z "$(find . -name "*$secret*")"
  done
done <<END
postgres://u:$secret@127.0.0.1:1/db
postgres://u:$secret
postgres://u:$secret/db
postgres://u@127.0.0.1:$secret/db
postgres://u:$secret@127.0.0.1:1/db?bogus=1
postgres:u:$secret@127.0.0.1/db
postgres:/u:$secret@127.0.0.1/db
postgers://u:$secret@127.0.0.1/db
u:$secret@127.0.0.1/db
u:$secret@127.0.0.1
END
for url in "postgres://u@127.0.0.1:1,[::1]:2/db" "postgres://[::1]:1/db" \
  "postgres://u@127.0.0.1/db?port=1"; do
  run --store "$url" sessions list
  [[ $err == *libpq* ]] || has "$url is a store's URL" "$err" "cannot connect"
done
run --store ./nobody@home.db sessions list
has "a path with an '@' is told" "$err" nobody@home.db
finish
