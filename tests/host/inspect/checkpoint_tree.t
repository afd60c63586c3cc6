#!/bin/bash
# checkpoint_tree.t - on a terminal the checkpoints are a tree: what follows what, what was left
# behind, pins and forks, told by the picture alone; short ids name them.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"

golden=$root/tests/golden
tool=$build/tests/crash/tool_count
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
checkpoints() { "$CKRUN" --json sessions checkpoints "$@"; }
member() { perl -MJSON::PP -ne '
  BEGIN { $name = shift } print JSON::PP->new->utf8->decode($_)->{$name} // "", "\n"' "$1"; }
short() { sed 's/.*_//'; }

exits 0 "a session" run state.lua --cassette six.jsonl --session origin
exits 0 "with a pin" sessions pin origin "$(checkpoints origin | member id | sed -n 2p)"
exits 0 "a fork of it" sessions fork origin --checkpoint \
  "$(checkpoints origin | member id | sed -n 3p)" --session fork
for to in 2 1; do
  exits 0 "goes back to $to" sessions rewind fork \
    "$(checkpoints fork | member id | sed -n ${to}p)" --report "wrong way"
  "$CKRUN" resume fork >/dev/null 2>&1
done

# ---- the picture, read by somebody who knows nothing of how it was drawn ----

# "CHECKPOINT PARENT" of each row: down from the mark, along the line that joins.
edges() {
  perl -CSD -Mutf8 -ne '
    chomp;
    my ($graph, $id) = /^([\s●○◆│├┼┴─╯]*?)\s{2,}([0-9a-f]{8})\b/;
    $graph //= $_;
    my @cells = split //, $graph;
    if ($graph =~ /├/) {
      my $to = index $graph, "├";
      for my $i ($to + 1 .. $#cells) {
        push @{$open{$to}}, @{delete $open{$i} || []} if $cells[$i] =~ /[╯┴]/;
      }
    }
    next unless defined $id;
    my ($at) = grep { $cells[$_] =~ /[●○◆]/ } 0 .. $#cells;
    print "$_ $id\n" for @{delete $open{$at} || []};
    $open{$at} = [$id];
    END { print "$_ -\n" for map { @$_ } values %open }'
}
# The same from what is stored.
stored_edges() {
  checkpoints "$1" | perl -MJSON::PP -ne '
    my $c = JSON::PP->new->utf8->decode($_);
    $id{$c->{seq}} = substr $c->{id}, -8; $parent{$c->{seq}} = $c->{parent};
    END { print "$id{$_} ", $id{$parent{$_}} // "-", "\n" for keys %id }'
}
for session in origin fork; do
  exits 0 "the tree of $session" sessions checkpoints $session --graph
  is "$session: it has every edge, and no other" "$(edges <<<"$out" | sort)" \
    "$(stored_edges $session | sort)"
  is "$session: hollow is what was left behind" \
    "$(grep '○' <<<"$out" | grep -oE '\b[0-9a-f]{8}\b' | sort)" \
    "$(checkpoints $session | perl -MJSON::PP -ne 'my $c = JSON::PP->new->utf8->decode($_);
      print substr($c->{id}, -8), "\n" if $c->{abandoned} && !$c->{pinned}' | sort)"
  is "$session: a diamond is a pin" "$(grep '◆' <<<"$out" | grep -c pinned)" 1
  is "$session: each row tells the dollars so far" \
    "$(grep -oE '\$[0-9.]+' <<<"$out" | sort)" \
    "$(checkpoints $session | perl -MJSON::PP -ne '
      print "\$", JSON::PP->new->utf8->decode($_)->{totals}{cost_usd}, "\n"' | sort)"
done
has "the origin names its fork" "$("$CKRUN" sessions checkpoints origin --graph)" "(fork: fork)"
exits 0 "only the newest" sessions checkpoints origin --graph --limit 2
is "are two rows" "$(grep -cE '[0-9a-f]{8}' <<<"$out")" 2
exits 0 "as a list" --json sessions checkpoints origin --limit 2
is "they are the same" "$(member seq <<<"$out" | tr '\n' ' ')" \
  "$(checkpoints origin | tail -n 2 | member seq | tr '\n' ' ')"
exits 0 "only some kinds" sessions checkpoints fork --graph --kind failure
is "have rows" "$(grep -oE '[0-9a-f]{8}' <<<"$out" | sort)" \
  "$(checkpoints fork --kind failure | member id | short | sort)"

# What follows a pruned checkpoint hangs on what that one followed.
cat >wide.lua <<'END'
return require "ck.flow".custom { name = "wide", run = function(ctx)
  for i = (ctx.position and ctx.position.i or 0) + 1, 5 do
    ctx.boundary("safe_point", { position = { path = "wide#" .. i, i = i } })
  end
  error("too far")
end }
END
echo 'return { name = "every", extends = "default", policies = { "every_boundary" } }' >every.lua
exits 1 "a session with a long branch" run wide.lua --profile ./every.lua --session wide
exits 0 "that is left" sessions rewind wide "$(checkpoints wide | member id | sed -n 1p)" \
  --report "wrong way"
checkpoints wide >before
for at in 2 3; do
  exits 0 "of which one is pruned" sessions prune wide --checkpoint "$(member id <before |
    sed -n ${at}p)"
done
exits 0 "the tree of what is left" sessions checkpoints wide --graph
is "hangs together" "$(edges <<<"$out" | sort)" "$(perl -MJSON::PP -e '
  my ($before, $after) = @ARGV;
  my $read = sub { map { JSON::PP->new->utf8->decode($_) } split /\n/, shift };
  my %parent = map { $_->{seq} => $_->{parent} } $read->($before);
  my %id = map { $_->{seq} => substr $_->{id}, -8 } my @left = $read->($after);
  for (@left) {
    my $up = $_->{parent};
    $up = $parent{$up} while $up && !$id{$up};
    print "$id{$_->{seq}} ", $up ? $id{$up} : "-", "\n";
  }' "$(cat before)" "$(checkpoints wide)" | sort)"

# ---- names ----

whole=$(checkpoints fork | member id | tail -n 1)
found() {
  json "$("$CKRUN" --json sessions inspect fork --checkpoint "$1")" '$d->{checkpoint}{id}'
}
is "the part that is shown names it" "$(found "${whole: -8}")" "$whole"
is "so does latest" "$(found latest)" "$whole"
is "and @" "$(found @)" "$whole"
mapfile -t live < <(checkpoints fork | perl -MJSON::PP -ne '
  my $c = JSON::PP->new->utf8->decode($_); print "$c->{id}\n" unless $c->{abandoned}')
is "@{1} is the one before on the line that goes on" "$(found '@{1}')" "${live[-2]}"
is "@{2} the one before that" "$(found '@{2}')" "${live[-3]}"
refused 3 "further back than there are" "has no checkpoint '@{99}'" sessions inspect fork \
  --checkpoint '@{99}'
refused 2 "what several begin with" "checkpoint_" sessions inspect fork --checkpoint check
has "the candidates are listed" "$err" "${live[0]}, "

if has_terminal; then
  view tree sessions checkpoints fork
else
  skip "no pseudo-terminal"
fi
finish
