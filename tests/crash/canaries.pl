#!/usr/bin/perl
# canaries.pl - fifty secrets: makes the files that place them everywhere, and searches files for
# them, in every spelling.
#   make FOLDER   env (to source), profile.lua, flow.lua, flow.jsonl, input.json, leak (the tool),
#                 nowhere and nowhere.name (another)
#   scan FILE…    prints one line for each hit, and counts on stderr
use strict;
use warnings;
use MIME::Base64 qw(encode_base64);

my $count = 50;
my @commands = qw(print fail url env nowhere);

sub secrets {
  my @chars = split //, 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789/+_-.~!"\\&=%#';
  my ($state, @list) = (20240917);
  for my $n (1 .. $count) {
    my $text = sprintf 'cnry%02d', $n;
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

# As they are placed: name and text.
sub forms {
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
  return %mark;
}

sub lua { join '', '"', (map { sprintf '\\%03d', ord } split //, $_[0]), '"' }
sub json { '"' . escaped($_[0]) . '"' }
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
    my %form = forms($s);
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
    my %form = forms($s);
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
  my @all = map { my %form = forms($_); map { json($form{$_}) } sort keys %form } @list;
  put("$folder/input.json", '{"list":[' . join(',', @all) . ']}');
  put("$folder/leak", $leak);
  # Its name is a secret, and the file exists for earlier checks; but it cannot be started.
  put("$folder/nowhere", "#!/no/such/interpreter\n");
  put("$folder/nowhere.name", "no-such-$list[0]");
  chmod 0755, "$folder/leak", "$folder/nowhere";
}

sub scan {
  my ($files, $bytes, $hits) = (0, 0, 0);
  my %owner;
  for my $s (secrets()) {
    my %mark = marks($s);
    $owner{$mark{$_}} //= substr($s, 0, 6) . " $_" for sort keys %mark;
  }
  my $any = join '|', map { quotemeta } sort { length $b <=> length $a || $a cmp $b } keys %owner;
  for my $path (@_) {
    open my $file, '<:raw', $path or next;
    local $/;
    my $text = <$file> // '';
    $files++;
    $bytes += length $text;
    while ($text =~ /($any)/g) {
      $hits++;
      my $near = substr $text, $-[0] > 60 ? $-[0] - 60 : 0, 120;
      print "$path: $owner{$1}: $near\n";
    }
  }
  my %form = forms('x');
  printf STDERR "secrets=%d spellings=%d marks=%d files=%d bytes=%d hits=%d\n",
    $count, scalar keys %form, scalar keys %owner, $files, $bytes, $hits;
}

my $what = shift // '';
if ($what eq 'make') { make(@ARGV) }
elsif ($what eq 'scan') { scan(@ARGV) }
else { die "make or scan\n" }
