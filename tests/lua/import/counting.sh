# counting.sh - counts what a recording of another program holds, and what came of it as events.
data=$root/tests/lua/import/data

# counted FILE CODE: what the Perl says of a file, lines as @l, a document as $d.
counted() {
  perl -MJSON::PP -MList::Util=sum0 -e '
    my ($file, $code) = @ARGV;
    open my $in, "<", $file or die;
    my $text = join "", <$in>;
    our $d = eval { decode_json($text) };
    our @l = $d ? () : map { decode_json($_) } split /\n/, $text;
    our @i = map { ($_->{type} // "") eq "response_item" ? $_->{payload} : $_ } @l;
    print eval $code; die $@ if $@' "$1" "$2"
}

# imported FILE FORMAT: fills log, its events.
imported() {
  exits 0 "$1" --json sessions import "$data/$1"
  is "$1: its format is told by its content" "$(json "$out" '$d->{format}')" "$2"
  report=$out
  run --json sessions log "$(json "$report" '$d->{session}')" --all
  log=$out
}

# events CODE: of the events, @e.
events() {
  perl -MJSON::PP -MList::Util=sum0 -e '
    our @e = map { decode_json($_) } <STDIN>;
    sub kind { my $k = shift; grep { $_->{kind} eq $k } @e }
    sub sources { map { ref $_ ? @$_ : $_ } grep { defined } map { $_->{body}{source} } @e }
    print eval $ARGV[0]; die $@ if $@' "$1" <<<"$log"
}
