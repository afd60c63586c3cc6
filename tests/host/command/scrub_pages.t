#!/bin/bash
# scrub_pages.t - what a secret left between the rows of a page, where SQLite moved rows and no row
# is any more, goes with it. It is there before, seen by a reader of pages that is not SQLite.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
umask 077
secret=horse-battery-777777777777777777 # as long as what comes in its place: no row moves again
echo "$secret" >secret

# Facts that grow: their rows move to other pages.
cat >grow.lua <<END
local flow = require "ck.flow"
return flow.custom { name = "grow", run = function(ctx)
  for round = 0, 2 do
    for i = 1, ctx.input.count do
      ctx.facts.put("k" .. i * (ctx.input.stride + round) % ctx.input.count,
        "say $secret " .. i .. ("x"):rep(ctx.input.step * round))
    end
  end
end }
END
# between: how often the secret lies in a page of a table where no row is: before its first one.
between() {
  perl -e 'local $/; open my $in, "<:raw", shift or die; my ($file, $word) = (<$in>, shift);
    my $size = unpack "n", substr $file, 16, 2; my $found = 0;
    while ($file =~ /\Q$word/g) {
      my ($page, $at) = (int($-[0] / $size), $-[0] % $size);
      my $head = substr $file, $page * $size + ($page ? 0 : 100), 8;
      my ($kind, undef, undef, $first) = unpack "Cnnn", $head;
      $found++ if $kind == 13 && $at < $first;
    }
    print $found' store/ckrun.db "$secret"
}
left() { cat store/ckrun.db* 2>/dev/null | grep -aoF "$secret" | wc -l; }

while read -r count step stride; do
  run run grow.lua --session "s$step" \
    --input "{\"count\":$count,\"step\":$step,\"stride\":$stride}"
  is "facts that grow by $step" "$code" 0
done <<'END'
199 1000 31
400 233 1
101 500 31
END
exits 0 "the log is folded" sessions delete s500
ok "bytes of it lie between rows" test "$(between)" -gt 0
exits 0 "scrubbed" sessions scrub --all --secret-file secret --yes
is "they are gone with all others" "$(between) $(left)" "0 0"
exits 0 "all is well" store verify
is "and every fact is there" "$("$CKRUN" facts list | grep -c 'redacted:scrubbed')" 400
finish
