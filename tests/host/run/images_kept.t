#!/bin/bash
# images_kept.t - what is kept of images and files: through a kill, a resume, a fork, a retry; out
# of one store and into another; sealed; as long as a session needs it, and no longer.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
base64 -d <<<"$png" >picture.png
url=data:image/png\;base64,$png

# An agent that looks at a picture, calls a tool that gives another one, and may be killed in it.
cat >shoot <<'END'
#!/bin/sh
# shoot - gives a picture; kills the run the first time when it is told to.
if [ -e kill-me ]; then rm kill-me; kill -9 $PPID; fi
echo called >>shots
printf '[{"type":"text","text":"Shot."},{"type":"image","data":"%s","name":"shot.png"}]' \
  "$(base64 -w0 shot.png)"
END
chmod +x shoot
{ base64 -d <<<"$png"; printf more; } >shot.png
shot=data:image/png\;base64,$(base64 -w0 shot.png)
cat >look.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "eye", input = { "Look.", flow.file "picture.png" },
  tools = { shoot = flow.command { argv = { "./shoot" }, class = "idempotent" } } }
END
script='{"turn":0,"answer":{"text":"I look.","calls":[{"name":"shoot","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Two dots."},"times":0}'
# profile API: at house.lua
profile() {
  cat >house.lua <<END
return { name = "house", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$1", base_url = "$(base_url "$1")", model = "m", key = "main",
    retries = 0, takes = { "image" }, unmetered = true } } }
END
}
url_of() { echo "\$b->{messages}[$1]{content}[1]{image_url}{url}"; }
body() { json "$(sed -n "$(($2 + 1))p" "$1.log")" "my \$b = \$d->{body}; $3"; }
db() { sqlite3 "${CKRUN_STORE#sqlite:}" "$1"; }
images() { db "SELECT count(*) FROM blob WHERE kind = 'image'"; }

# ---- the result of a tool ----
for api in openai anthropic; do
  serve $api <<<"$script"
  profile $api
  exits 0 "$api: a tool gives an image" run look.lua --profile ./house.lua --session tool-$api
done
is 'openai: the tool says what it gives' "$(body openai 1 '$b->{messages}[2]{content}')" \
  'Shot.
[shot.png: in the message below]'
is 'openai: the image follows as the user'"'"'s, behind the result' \
  "$(body openai 1 '[map { $_->{role} } @{$b->{messages}}]')" '["user","assistant","tool","user"]'
is 'openai: it is the image' "$(body openai 1 "$(url_of 3)")" "$shot"
is 'openai: and says whose' \
  "$(body openai 1 '$b->{messages}[3]{content}[0]{text} =~ /^From the result of call \S+:$/')" 1
is 'anthropic: it is in the result' \
  "$(body anthropic 1 '$b->{messages}[2]{content}[0]{content}')" \
  '[{"text":"Shot.","type":"text"},{"source":{"data":"'"$(base64 -w0 shot.png)"'",'\
'"media_type":"image/png","type":"base64"},"type":"image"}]'
is 'each image is kept once, for all sessions' "$(images)" 2
run --json sessions log tool-openai --all
is 'no event has its bytes' "$(grep -c "${png:0:40}" <<<"$out")" 0

# ---- an MCP server's ----
cat >camera <<'END'
#!/usr/bin/perl
# camera - an MCP server with a tool that gives a picture, and says where it is.
use JSON::PP; $| = 1;
my $json = JSON::PP->new->canonical;
while (my $line = <STDIN>) {
  my $asked = $json->decode($line);
  next if !defined $asked->{id};
  my $result = $asked->{method} eq "initialize"
    ? { protocolVersion => "2025-06-18", capabilities => { tools => {} },
        serverInfo => { name => "camera", version => "1" } }
    : $asked->{method} eq "tools/list"
    ? { tools => [{ name => "shoot", inputSchema => { type => "object" } }] }
    : { content => [{ type => "image", data => $ENV{SHOT}, mimeType => "image/png" },
        { type => "resource_link", uri => "file:///shot.png", name => "shot" }] };
  print $json->encode({ jsonrpc => "2.0", id => $asked->{id}, result => $result }), "\n";
}
END
chmod +x camera
SHOT=$(base64 -w0 shot.png)
export SHOT
cat >server.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "eye", tools = { cam = flow.mcp { argv = { "./camera" },
  env = { "SHOT" } } } }
END
serve mcp <<<"$script"
profile anthropic
exits 0 'a server gives an image' run server.lua --profile ./house.lua --session mcp --input '"Go."'
is 'it is the image that the model is shown' \
  "$(body mcp 1 '$b->{messages}[2]{content}[0]{content}[0]{source}{data}')" "$SHOT"
is 'the link behind it is kept' \
  "$(body mcp 1 '$b->{messages}[2]{content}[0]{content}[1]{text} =~ m"file:///shot.png"')" 1
exits 0 'it goes' sessions delete mcp --yes

# ---- killed in the tool, and resumed; the file has changed meanwhile ----
serve killed <<<"$script"
profile openai
touch kill-me
run run look.lua --profile ./house.lua --session killed
is 'it is killed in its tool' "$code" 137
rm shots
cp picture.png kept.png
printf 'other' >>picture.png
exits 0 'it goes on' resume killed --profile ./house.lua
is 'the tool gave its picture once' "$(wc -l <shots)" 1
is 'the model is told what it was told before' "$(body killed 1 "$(url_of 0)")" "$url"
is 'two requests in all' "$(requests killed)" 2
mv kept.png picture.png

# ---- a fork, and the end of its origin ----
exits 0 'a fork' sessions fork killed --session child
exits 0 'goes on' resume child --profile ./house.lua
for one in killed tool-openai tool-anthropic; do
  exits 0 "$one goes" sessions delete "$one" --yes --detach
done
is 'the images of a fork outlive its origin' "$(images)" 2
exits 0 'the store is sound' store verify

# ---- out of the store ----
exits 0 'a cassette' sessions export child --format cassette -o child.jsonl
has 'has the tool'"'"'s image in it' "$(cat child.jsonl)" \
  '{"type":"image","media_type":"image/png","name":"shot.png","data":"'"$(base64 -w0 shot.png)"
serve broken <<<"${script%%$'\n'*}
{\"status\":500,\"body\":{\"error\":{\"message\":\"no more\"}},\"times\":0}"
profile openai
run run look.lua --profile ./house.lua --session broken
exits 0 'a loop' sessions export broken --format loop-checkpoint -o child.loop
has 'has it as a block' "$(cat child.loop)" \
  '"source":{"type":"base64","media_type":"image/png","data":"'"$png"
exits 0 'a run' sessions export broken --format run-checkpoint -o child.run
has 'has it as an address' "$(cat child.run)" "$url"
exits 0 'it goes' sessions delete broken --yes
exits 0 'an archive' sessions export child --format archive -o child.ckrun
exits 0 'markdown' sessions export child --format markdown -o child.md
is 'people are shown what it is' "$(grep -c 'picture.png, image/png, 70 bytes' child.md)" 1
is 'and no bytes' "$(grep -c "${png:0:40}" child.md)" 0

# ---- into others ----
first=$CKRUN_STORE
for form in run loop; do
  export CKRUN_STORE=sqlite:$dir/$form.db
  exits 0 "$form: it comes back" sessions import "child.$form" --resume-with look.lua \
    --profile ./house.lua --session back
  is "$form: its images are kept there" "$(images)" 2
  run --json sessions log back --all
  is "$form: by themselves" "$(grep -c "${png:0:40}" <<<"$out")" 0
  serve $form <<<"${script#*$'\n'}"
  profile openai
  exits 0 "$form: it goes on" resume back --profile ./house.lua
  is "$form: the model is shown the first image" \
    "$(body $form 0 "$(url_of 0)")" "$url"
  is "$form: and the tool's" "$(body $form 0 "$(url_of 3)")" "$shot"
done
export CKRUN_STORE=sqlite:$dir/restored.db
exits 0 'the archive comes back' sessions import child.ckrun
is 'with its images' "$(images)" 2
export CKRUN_STORE=$first

# ---- the end ----
exits 0 'the last session goes' sessions delete child --yes
is 'and its images with it' "$(images)" 0

# ---- with a key ----
export CKRUN_STORE=sqlite:$dir/sealed.db CKRUN_KEY
CKRUN_KEY=$(printf '%064d' 7)
serve sealed <<<"$script"
profile openai
exits 0 'in a store with a key' run look.lua --profile ./house.lua --session sealed
is 'the image is sent' "$(body sealed 1 "$(url_of 3)")" "$shot"
is 'each is sealed' "$(db "SELECT count(*) FROM blob WHERE kind = 'image' AND encoding = 2")" 2
is 'nobody else can read it there' "$(grep -c 'PNG' sealed.db)" 0
exits 0 'it is sound' store verify
sed 's|input = { "Look.", flow.file "picture.png" },||' look.lua >bare.lua
exits 0 'a picture as the input' run bare.lua --profile ./house.lua --session sealed-2 \
  --input @shot.png
is 'is sent, too' "$(body sealed 2 '$b->{messages}[0]{content}[0]{image_url}{url}')" "$shot"

echo "1..$checks"
[ "$failed" = 0 ]
