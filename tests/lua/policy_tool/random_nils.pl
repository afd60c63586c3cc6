# random_nils.pl SEED META - writes a policy that looks at numbers that can be nil and at fields of
# words, as META, lua/ck/meta.lua, has them: with and without a look whether they are there, right
# and misspelt. Its first line is a comment with the lines that have a mistake.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../..";
use Seeded qw(seed below one);

my ($seed, $meta) = @ARGV;
seed($seed);
my (%fields, %words, %hooks, $class, $alias);
open my $in, '<', $meta or die;
while (<$in>) {
  if (/^---\@alias ck\.hook\.(\w+) fun\(([^)]*)\)/) {
    my ($hook, $parameters) = ($1, $2);
    $hooks{$hook} = [map { /: (ck\.\w+)$/ ? $1 : undef } split /, /, $parameters];
  } elsif (/^---\@class (ck\.\w+)/) {
    $class = $1;
  } elsif (/^---\@alias (ck\.\w+)/) {
    $alias = $1;
  } elsif ($alias && /^---\| "(\w+)"/) {
    push @{$words{$alias}}, $1;
  } elsif ($class && /^---\@field (\w+) (\S+)/) {
    push @{$fields{$class}}, [$1, $2];
  }
}

# Words that a hook is never shown.
my %never = (
  permit => {'a.kind' => 'sleep ask read'},
  in_doubt => {'a.class' => 'pure idempotent'},
  on_failure => {'a.status' => 'CK_OK'},
  tail => {'a.kind' => 'intent replay'},
  redact => {'a.kind' => 'session_resumed session_forked session_rewound session_undone replay '
    . 'divergence pruned constraint scrubbed'},
);

# The fields below a view: [path, "number"], [path, its words].
sub below_view {
  my ($path, $of) = @_;
  my @all;
  for my $field (@{$fields{$of} || []}) {
    my ($name, $type) = @$field;
    (my $plain = $type) =~ s/\|nil$//;
    push @all, ["$path.$name", 'number'] if $type =~ /^(number|integer)\|nil$/;
    push @all, ["$path.$name", $words{$plain}] if $words{$plain};
    push @all, below_view("$path.$name", $type) if $fields{$type};
  }
  return @all;
}
my @guarded = (
  'if P and P > 3 then x = 1 end', 'if (P or 0) < 3 then x = 1 end',
  'if not P or P > 3 then x = 1 end', 'local v = P; if v and v * 2 > 3 then x = 1 end',
  'if P ~= nil and 3 < P then x = 1 end', 'local v = P or 1; if v - 1 > 0 then x = 1 end',
  'if type(P) == "number" and P >= 1 then x = 1 end',
  'if P == nil then x = 2 elseif P < 4 then x = 1 end', 'if not P then return end; x = P + 1',
  'local v = P; if not v then v = 2 end; x = v - 1',
);
my @bare = (
  'if P > 3 then x = 1 end', 'if 3 <= P then x = 1 end', 'local v = P; if v > 3 then x = 1 end',
  'if x == 7 and P < 3 then x = 1 end', 'x = 1 + P', 'x = -P', 'if x == 7 then x = P // 2 end',
);
my ($line, @mistakes, @text) = (2);
for my $hook (sort grep { below(2) } keys %hooks) {
  my @views = @{$hooks{$hook}};
  my @all = map { $views[$_] ? below_view(('a', 'b')[$_], $views[$_]) : () } 0 .. 1;
  @all = grep { $hook ne 'permit' || $_->[0] ne 'b.kind' } @all;
  next if !@all;
  push @text, "  $hook = function(a, b) local x = 0";
  $line++;
  my %looked;
  for (0 .. below(4)) {
    my ($path, $what) = @{one(@all)};
    (my $key = $path) =~ s/\.\w+$//;
    next if $what eq 'number' && $looked{$key}++;
    my ($wrong, $statement) = (below(2));
    if ($what eq 'number') {
      ($statement = $wrong ? one(@bare) : one(@guarded)) =~ s/P/$path/g;
    } else {
      my $word = one(@$what) . ($wrong ? 'z' : '');
      $wrong ||= grep { $_ eq $word } split / /, $never{$hook}{$path} // '';
      $statement = one("if $path == '$word' then x = 1 end", "x = '$word' ~= $path",
        "local v = $path; x = v == \"$word\"");
    }
    push @text, "    do $statement end";
    $line++;
    push @mistakes, $line if $wrong;
  }
  push @text, '  end,';
  $line++;
}
print "-- @mistakes\nreturn { name = 'nils', version = 1,\n", map { "$_\n" } @text;
print "  migrate = function(document) return document end }\n";
