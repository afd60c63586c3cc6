#!/usr/bin/perl
# canaries.pl - fifty secrets, or $CANARIES: makes the files that place them everywhere, and
# searches files for them, in every spelling. Each secret is placed in a third of the spellings, the
# next one in another third; with $CANARIES in half.
#   make FOLDER   env (to source), profile.lua, flow.lua, flow.jsonl, input.json, leak (the tool),
#                 nowhere and nowhere.name (another)
#   scan FILE…    prints one line for each hit, and counts on stderr
use strict;
use warnings;
use File::Temp;
use MIME::Base64 qw(encode_base64);

my $count = $ENV{CANARIES} || 50;
my @commands = qw(print fail url env nowhere);

sub secrets {
  my @chars = split //, 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789/+_-.~!"\\&=%#';
  my ($state, @list) = (20240917);
  for my $n (1 .. $count) {
    my $text = sprintf $n < 100 ? 'cnry%02d' : 'cnr%03d', $n;
    for (1 .. 12 + $n % 21) {
      $state = ($state * 1103515245 + 12345) % 2147483648;
      $text .= $chars[int($state / 65536) % @chars];
    }
    push @list, $text . ($n % 5 ? '' : "\xc3\xa9z");
  }
  return @list;
}

sub base64 { encode_base64($_[0], '') }
sub url64 { (my $text = base64($_[0])) =~ tr{+/=}{-_}d; $text }
sub percent { (my $text = $_[0]) =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ge; $text }
sub escaped { (my $text = $_[0]) =~ s/(["\\])/\\$1/g; $text }
# Every byte of ASCII by its number.
sub numbered { join '', map { ord($_) < 128 ? sprintf '\\u%04x', ord $_ : $_ } split //, $_[0] }
# Every byte by a format; every character with something between it and the next.
sub each_byte { my ($s, $format) = @_; join '', map { sprintf $format, ord } split //, $s }
# A character has one, however many bytes it takes.
sub entities {
  my ($s, $format) = @_;
  utf8::decode(my $text = $s);
  return each_byte($text, $format);
}
sub between { my ($s, $what) = @_; join $what, $s =~ /[\xc0-\xff][\x80-\xbf]*|./gs }
sub colons { my ($s, $format) = @_; join ':', map { sprintf $format, ord } split //, $s }
sub base32 {
  my $bits = unpack 'B*', $_[0];
  $bits .= '0' x (-length($bits) % 5);
  my $text = join '', map { ('A' .. 'Z', 2 .. 7)[oct "0b$_"] } unpack '(a5)*', $bits;
  return $text . '=' x (-length($text) % 8);
}

# In other characters, and with something inside.
sub coded {
  my $s = shift;
  return (
    x_lower => each_byte($s, '\x%02x'), x_upper => each_byte($s, '\x%02X'),
    octal => each_byte($s, '\%03o'),
    html => entities($s, '&#%d;'), html_hex => entities($s, '&#x%x;'),
    html_upper => entities($s, '&#x%02X;'),
    percent_all => each_byte($s, '%%%02X'), percent_lower => each_byte($s, '%%%02x'),
    colons => colons($s, '%02x'), upper_colons => colons($s, '%02X'),
    base32 => base32($s), base32_bare => (base32($s) =~ s/=//gr), base32_lower => lc base32($s),
    twice => base64(base64($s)), url_twice => url64(url64($s)),
    zero_width => between($s, "\xe2\x80\x8b"), joiner => between($s, "\xe2\x80\x8d"),
    mark => halves_of($s, "\xef\xbb\xbf"),
    colour => halves_of($s, "\e[31m"), colours => between($s, "\e[0m"),
    newline => halves_of($s, "\n"), return => halves_of($s, "\r\n"),
    wrapped => encode_base64(('-' x 21) . $s . ('-' x 21), "\n"),
    wrapped_hex => join("\n", unpack '(a16)*', unpack 'H*', $s),
    json_upper => (numbered($s) =~ s/(\\u)(\w+)/$1 . uc $2/ger),
    query => 'key=' . percent($s) . '&next=1',
  );
}
# Between two characters, not within one.
sub halves_of {
  my ($s, $what) = @_;
  my @all = $s =~ /[\xc0-\xff][\x80-\xbf]*|./gs;
  return join '', @all[0 .. $#all / 2], $what, @all[$#all / 2 + 1 .. $#all];
}

sub forms {
  my ($s, $n) = @_;
  my %all = (plain_forms($s), coded($s));
  my $part = $ENV{CANARIES} ? 2 : 3; # a script has a megabyte at most
  my @names = sort keys %all;
  my %some = map { $_ => $all{$_} } 'raw', @names[grep { $_ % $part == $n % $part } 0 .. $#names];
  return %some;
}

# As they are placed: name and text.
sub plain_forms {
  my $s = shift;
  return (
    raw => $s,
    base64_0 => base64($s), base64_1 => base64("x$s:tail"), base64_2 => base64("xy$s:tail"),
    url64_0 => url64($s), url64_1 => url64("x$s:tail"), url64_2 => url64("xy$s:tail"),
    hex => unpack('H*', $s), upper_hex => uc unpack('H*', $s), percent => percent($s),
    json => escaped($s), json_twice => escaped(escaped($s)), json_numbered => numbered($s),
    url => 'https://ines:' . percent($s) . '@bank.example/x',
  );
}

# As they are searched for. Of base64 only the characters that hold bits of the secret alone.
sub marks {
  my $s = shift;
  my $part = int(length($s) * 2 / 3);
  my %mark = (
    raw => $s, head => substr($s, 0, $part), tail => substr($s, -$part),
    hex => unpack('H*', $s), upper_hex => uc unpack('H*', $s), percent => percent($s),
    json => escaped($s), json_twice => escaped(escaped($s)), json_numbered => numbered($s),
  );
  for my $shift (0 .. 2) {
    my $bits = 8 * length $s;
    my $first = int((8 * $shift + 5) / 6);
    my $last = int((8 * $shift + $bits) / 6);
    my $text = substr base64(('x' x $shift) . $s), $first, $last - $first;
    $mark{"base64_$shift"} = $text;
    ($mark{"url64_$shift"} = $text) =~ tr{+/}{-_};
  }
  my %coded = coded($s);
  delete @coded{qw(wrapped query)};
  $coded{$_} = substr $coded{$_}, 0, -8 for qw(base32 base32_bare base32_lower twice url_twice);
  # What acts is escaped where a person reads: these spellings, too.
  for my $name (qw(zero_width joiner mark colour colours newline return wrapped_hex)) {
    (my $json = $coded{$name}) =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
    (my $short = $coded{$name}) =~ s/\n/\\n/g;
    $short =~ s/\r/\\r/g;
    my $acts = qr/\e|\xe2\x80[\x8b\x8d]|\xef\xbb\xbf/;
    (my $bytes = $coded{$name}) =~ s/($acts)/each_byte($1, '\x%02X')/ge;
    @mark{map { "${name}_$_" } qw(json short bytes)} = ($json, $short, $bytes);
  }
  return (%mark, %coded);
}

sub lua { join '', '"', (map { sprintf '\\%03d', ord } split //, $_[0]), '"' }
sub json {
  (my $text = escaped($_[0])) =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
  return qq("$text");
}
sub put {
  my ($path, $text) = @_;
  open my $file, '>', $path or die "$path: $!";
  print $file $text;
  close $file or die "$path: $!";
}
sub call {
  my ($id, $name, $arguments) = @_;
  return sprintf '{"id":"%s","type":"function","function":{"name":"%s","arguments":%s}}',
    $id, $name, json($arguments);
}

sub cassette {
  my $text = qq({"cassette":1}\n);
  my $n = 0;
  for my $s (secrets()) {
    $n++;
    my %form = forms($s, $n);
    my @all = map { $form{$_} } sort keys %form;
    my $list = '[' . join(',', map { json($_) } @all) . ']';
    my $said = json("Round $n: " . join ' ', @all);
    $text .= qq({"scope":"main","kind":"ask","answer":$said}\n);
    my $calls = join ',', call("vault$n", 'vault', '{}'),
      call("login$n", 'login', qq({"note":$list})), map { call("$_$n", $_, '{}') } @commands;
    $text .= qq({"scope":"main","kind":"model","message":{"role":"assistant","content":$said,)
      . qq("tool_calls":[$calls]}}\n);
    my $error = $n % 2 ? ',"is_error":true' : '';
    $text .= qq({"scope":"main","kind":"tool","index":0,"name":"vault","arguments":"{}",)
      . qq("result":{"deep":[{"list":$list,"text":) . json($list) . "}]}$error}\n";
    my $index = 1;
    for my $name (@commands) {
      $index++;
      $text .= qq({"scope":"main","kind":"tool","index":$index,"name":"$name","arguments":"{}",)
        . qq("result":"run"}\n);
    }
  }
  return $text;
}

sub flow {
  my @rows;
  for my $s (secrets()) {
    my %form = forms($s, @rows + 1);
    push @rows, '  { ' . join(', ', map { lua($form{$_}) } sort keys %form) . ' },';
  }
  my ($first) = secrets();
  return join "\n", 'local flow = require "ck.flow"', 'local secrets = {', @rows, '}',
    'local tools = { vault = "pure", login = "pure" }',
    'for _, name in ipairs { "print", "fail", "url", "env" } do',
    '  tools[name] = flow.command {',
    '    argv = { "./leak", name, ' . lua("/no/such/$first/file") . ' }, class = "idempotent",',
    '  }',
    'end',
    'tools.nowhere = flow.command {',
    '  argv = { ' . lua("./no-such-$first") . ', "x" }, class = "idempotent",',
    '}', <<'END';
local function run(ctx)
  for n = (ctx.position and ctx.position.turn or 0) + 1, #secrets do
    local e = secrets[n]
    ctx.effect {
      kind = "ask", class = "idempotent",
      request = { question = "what of " .. table.concat(e, " and ") },
    }
    local reply = ctx.effect { kind = "model", class = "pure", request = { model = "recorded" } }
    local list = '["' .. table.concat(e, '","') .. '"]'
    local quoted = '{"inner":{"password":"' .. e[3] .. '","list":' .. list .. '}}'
    local text = "before " .. e[n % #e + 1] .. " after"
    ctx.memory["nested_" .. n] = { a = { b = { list = e, text = text, json = quoted } } }
    ctx.memory:append("all", { quoted, e })
    ctx.outputs["out_" .. n] = e
    for index, call in ipairs(ctx.tool_calls(reply.raw)) do
      local request = call.request
      if call.name == "login" then
        ctx.message {
          role = "tool", call_id = call.call_id, name = "login",
          content = "Error: refused " .. e[1],
        }
      else
        if call.name ~= "vault" then
          local arguments = { forms = e, nested = { { e[1] } }, json = quoted }
          request = {
            name = call.name, call_id = call.name .. n, index = index - 1, arguments = arguments,
          }
        end
        local got = ctx.effect {
          kind = "tool", agent = "canary", request = request, ordinal = index,
          class = call.name == "vault" and "pure" or "idempotent",
        }
        ctx.memory[call.name .. "_" .. n % 7] = { got.result or false, got.error or false }
      end
    end
    ctx.boundary("tool_round", { position = { path = "round#" .. n, turn = n } })
  end
  error("it ends with " .. table.concat(secrets[1], " ") .. table.concat(secrets[2], ","))
end

return flow.custom { name = "canaries", tools = tools, run = run }
END
}

# The tool: repeats its input, in pieces of three bytes; on stderr; as an URL; or prints its whole
# environment.
my $leak = <<'END';
#!/usr/bin/perl
my $said = <STDIN>;
my ($raw) = $said =~ /"nested":\[\["((?:[^"\\]|\\.)*)"/;
if ($ARGV[0] eq 'print') { syswrite STDOUT, $_ for unpack '(a3)*', $said }
elsif ($ARGV[0] eq 'fail') { print STDERR "cannot log in: $said"; exit 1 }
elsif ($ARGV[0] eq 'url') { print "see https://ines:$raw\@bank.example/?key=$raw and $said" }
else {
  print join "\n", map { "$_=$ENV{$_}" } sort keys %ENV;
  # What the system shows of the process that started it.
  for my $name (qw(environ cmdline stat comm)) {
    open my $from, '<', "/proc/" . getppid . "/$name" or next;
    open my $to, '>>', 'shown';
    print $to "$name: ", <$from>, "\n";
  }
  open my $f, '>>', 'children';
  print $f "$_\n" for sort keys %ENV;
}
END

sub make {
  my $folder = shift;
  my @list = secrets();
  my @names = map { sprintf 'CANARY_%02d', $_ } 1 .. @list;
  put("$folder/env", join '', map {
    (my $text = $list[$_]) =~ s/'/'\\''/g;
    "export $names[$_]='$text'\n"
  } 0 .. $#list);
  put("$folder/profile.lua", qq(return { name = "canaries", extends = "default", secrets = {\n)
      . join('', map { sprintf qq(  c%02d = "env:%s",\n), $_ + 1, $names[$_] } 0 .. $#list)
      . "} }\n");
  put("$folder/flow.lua", flow());
  put("$folder/flow.jsonl", cassette());
  my @all = map {
    my %form = forms($list[$_], $_ + 1);
    map { json($form{$_}) } sort keys %form
  } 0 .. $#list;
  put("$folder/input.json", '{"list":[' . join(',', @all) . ']}');
  put("$folder/leak", $leak);
  # Its name is a secret, and the file exists for earlier checks; but it cannot be started.
  put("$folder/nowhere", "#!/no/such/interpreter\n");
  put("$folder/nowhere.name", "no-such-$list[0]");
  chmod 0755, "$folder/leak", "$folder/nowhere";
}

# Of the files those that have one of the texts: grep takes thousands at once. (Line breaks are
# looked for as they are escaped.)
sub hit_files {
  my ($marks, @files) = @_;
  my $list = File::Temp->new;
  binmode $list;
  print $list map { "$_\n" } @$marks;
  $list->flush;
  local $ENV{LC_ALL} = 'C';
  open my $grep, '-|', 'grep', '-laFf', "$list", '--', @files or die "grep: $!";
  chomp(my @hit = <$grep>);
  close $grep or ($? >> 8) < 2 or die "grep failed\n";
  return map { $_ => 1 } @hit;
}

sub scan {
  my ($files, $bytes, $hits) = (0, 0, 0);
  my %owner;
  for my $s (secrets()) {
    my %mark = marks($s);
    delete @mark{grep { $mark{$_} =~ /\n/ } keys %mark};
    $owner{$mark{$_}} //= substr($s, 0, 6) . " $_" for sort keys %mark;
  }
  my $any = join '|', map { quotemeta } sort { length $b <=> length $a || $a cmp $b } keys %owner;
  my %hit = hit_files([sort keys %owner], @_);
  for my $path (@_) {
    $files++;
    $bytes += -s $path;
    next unless $hit{$path};
    open my $file, '<:raw', $path or next;
    local $/;
    my $text = <$file> // '';
    while ($text =~ /($any)/g) {
      $hits++;
      my $near = substr $text, $-[0] > 60 ? $-[0] - 60 : 0, 120;
      print "$path: $owner{$1}: $near\n";
    }
  }
  my %form = (plain_forms('x'), coded('x'));
  printf STDERR "secrets=%d spellings=%d marks=%d files=%d bytes=%d hits=%d\n",
    $count, scalar keys %form, scalar keys %owner, $files, $bytes, $hits;
}

my $what = shift // '';
if ($what eq 'make') { make(@ARGV) }
elsif ($what eq 'scan') { scan(grep { !-d } @ARGV) }
else { die "make or scan\n" }
