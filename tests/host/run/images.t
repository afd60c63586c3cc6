#!/bin/bash
# images.t - images and files of messages reach the model whole, in each API's own form; they are
# kept once, by their content, and in no state; a model that does not take them is not sent them.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
base64 -d <<<"$png" >picture.png
printf '%%PDF-1.4\n%%ten pages of it\n' >report.pdf
pdf=$(base64 -w0 report.pdf)

cat >look.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "eye", prompt = "Look." }
END

# profile API TAKES: at house.lua.
profile() {
  cat >house.lua <<END
return { name = "house", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$1", base_url = "$(base_url "$1")", model = "m", key = "main",
    retries = 0, $2 price = { input = 3, output = 15 } } } }
END
}

# body NAME N EXPRESSION: of the N-th request, from 0.
body() { json "$(sed -n "$(($2 + 1))p" "$1.log")" "my \$b = \$d->{body}; $3"; }

said='{"answer":{"text":"A dot.","usage":{"input":10,"output":3}},"times":0}'
parts='[{"type":"text","text":"What is it?"},{"type":"image","data":"'$png'","name":"dot.png"}]'

# ---- a list of parts as the input ----
for api in openai anthropic; do
  serve "$api" <<<"$said"
  profile "$api" 'takes = { "image", "file" },'
  exits 0 "$api: a list of parts is an input" run look.lua --profile ./house.lua \
    --session "$api" --input "$parts"
  has "$api: and is answered" "$out" 'A dot.'
  if [ "$api" = openai ]; then
    want='{"image_url":{"url":"data:image/png;base64,'$png'"},"type":"image_url"}'
    got=$(body openai 0 '$b->{messages}[1]{content}')
  else
    want='{"data":"'$png'","media_type":"image/png","type":"base64"}'
    want='{"source":'$want',"type":"image"}'
    got=$(body anthropic 0 '$b->{messages}[0]{content}')
  fi
  want='[{"text":"What is it?","type":"text"},'$want']'
  is "$api: both parts are sent, the image in its form" "$got" "$want"
  has "$api: nothing stands in the place of a message" "no: $(cat "$api.log")" 'What is it?'
  is "$api: one request" "$(requests "$api")" 1
done

# ---- as it is kept ----
run --json sessions log openai --all
log=$out
is 'the transcript has no bytes of the image' "$(grep -c "${png:0:40}" <<<"$log")" 0
has 'but what it is' "$log" '"media_type":"image/png","name":"dot.png","bytes":70,"digest":"'
run sessions log openai
has 'a person is shown its name' "$out" '[dot.png, image/png, 70 bytes]'
run --json sessions inspect openai
is 'no state has it' "$(grep -c "${png:0:40}" <<<"$out")" 0
is 'it is kept once for both sessions' \
  "$(sqlite3 "${CKRUN_STORE#sqlite:}" "SELECT count(*) FROM blob WHERE kind = 'image'")" 1
exits 0 'the store is sound' store verify

# ---- an image file as the input ----
serve file <<<"$said"
profile anthropic 'takes = { "image", "file" },'
exits 0 'a picture is an input' run look.lua --profile ./house.lua --session file \
  --input @picture.png
is 'it is sent' "$(body file 0 '$b->{messages}[0]{content}[0]{source}{data}')" "$png"
exits 0 'a PDF is one' run look.lua --profile ./house.lua --session pdf --input @report.pdf
is 'as a document' "$(body file 1 '$b->{messages}[0]{content}')" \
  '[{"source":{"data":"'$pdf'","media_type":"application/pdf","type":"base64"},'\
'"title":"report.pdf","type":"document"}]'

# ---- flow.file ----
printf 'Read me, password=hunter2hunter2.\n' >notes.txt
cat >files.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "eye",
  input = { "Compare.", flow.file "picture.png", flow.file "report.pdf", flow.file "notes.txt" } }
END
serve files <<<"$said"
profile openai 'takes = { "image", "file" },'
exits 0 'a flow names files' run files.lua --profile ./house.lua --session files
is 'each is sent as what it is' \
  "$(body files 0 'join " ", map { $_->{type} } @{$b->{messages}[0]{content}}')" \
  'text image_url file text'
is 'a file with its name' "$(body files 0 '$b->{messages}[0]{content}[2]{file}')" \
  '{"file_data":"data:application/pdf;base64,'$pdf'","filename":"report.pdf"}'
run --json sessions log files --all
is 'a text passes the rules of redaction' "$(grep -c 'hunter2hunter2' <<<"$out")" 0
has 'and is there' "$out" 'Read me'

# ---- who does not take them ----
serve plain <<<"$said"
profile openai ''
exits 1 'a model that is not known to take images' run look.lua --profile ./house.lua \
  --session refused --input @picture.png
has 'the image is named' "$err" \
  'model "default" (m) is not known to take images, and picture.png was not sent'
has 'and the remedy' "$err" 'add "image" to takes in models["default"] of the profile'
profile openai 'takes = { "image" },'
exits 1 'nor files' run look.lua --profile ./house.lua --session refused-2 --input @report.pdf
has 'a file is one' "$err" 'takes no files, and report.pdf was not sent'
is 'nothing was sent' "$(requests plain)" 0
exits 0 'with the model corrected the session goes on' resume refused --profile ./house.lua
is 'and sends it' "$(body plain 0 '$b->{messages}[1]{content}[0]{image_url}{url}')" \
  "data:image/png;base64,$png"

# ---- what it may cost ----
serve dear <<<"$said"
profile openai 'takes = { "image" },'
run run look.lua --profile ./house.lua --session dear --input @picture.png --limit budget_usd=0.10
is 'a call that may cost more than is left, with its image, is not made' "$(requests dear)" 0
exits 0 'one that may not is' run look.lua --profile ./house.lua --session cheap \
  --input @picture.png --limit budget_usd=0.50

# ---- an agent process ----
agent=$CKRUN_BUILD/tests/effect/acp/tool_acp_agent
[ -x "$agent" ] || { echo "Bail out! $agent is not built"; exit 1; }
# prompted MODE: by a list of texts and files.
prompted() {
  cat >prompted.lua <<END
local flow = require "ck.flow"
return flow.graph { start = "look",
  processes = { eye = flow.acp { argv = { "$agent", "$1" } } },
  nodes = { look = flow.prompt { process = "eye",
    prompt = { "What is it?", flow.file "picture.png", flow.file "report.pdf", "see" } } },
  edges = { look = flow.done } }
END
}
prompted sees
exits 0 'an agent that takes images and files' run prompted.lua --session seen
told=$(json "$(sed -n 's/^result\t//p' <<<"$out")" '$d->{text}')
is 'each part once' "$(grep -o '"type":"[a-z]*"' <<<"$told" | sort | tr '\n' ' ')" \
  '"type":"image" "type":"resource" "type":"text" "type":"text" '
has 'the image in the protocol'"'"'s own form' "$told" \
  '{"type":"image","mimeType":"image/png","data":"'"$png"'"}'
has 'and the file' "$told" '{"type":"resource","resource":{"uri":"attachment:report.pdf",'
has 'with its bytes' "$told" '"mimeType":"application/pdf","blob":"'"$pdf"'"}}'
run --json sessions log seen --all
is 'the turn is kept without their bytes' "$(grep '"intent"' <<<"$out" | grep -c "${png:0:40}")" 0
prompted good
run run prompted.lua --session unseen
is 'an agent that does not say so is not prompted' "$code" 1
has 'and the picture is named' "$err" "the agent 'eye' takes no images (its promptCapabilities"
has 'by its name' "$err" 'and picture.png was not sent'

# ---- policies and rules ----
serve masked <<<"$said"
profile anthropic 'takes = { "image" },'
sed -i 's|models =|policies = { { "redact_personal", kinds = { "email" } } }, models =|' house.lua
exits 0 'a policy that masks' run look.lua --profile ./house.lua --session masked --input \
  '[{"type":"text","text":"Whose is it? Write to ada@example.org, token=abcdefgh12345678."},
    {"type":"image","data":"'$png'","name":"dot.png"}]'
run --json sessions log masked --all
is 'it sees the text' "$(grep -c 'ada@example.org' <<<"$out")" 0
is 'so do the rules' "$(grep -c 'abcdefgh12345678' <<<"$out")" 0
is 'and neither the image' "$(body masked 0 '$b->{messages}[0]{content}[1]{source}{data}')" "$png"

# ---- bad input ----
exits 2 'data that is no base64' run look.lua --profile ./house.lua --session bad \
  --input '[{"type":"image","name":"dot.png","data":"%%%"}]'
has 'it is told' "$err" '--input: the data of dot.png is no base64'
printf 'GIF is not here \377' >odd.bin
sed 's/picture.png/odd.bin/' files.lua >odd.lua
exits 1 'a file that is nothing of it' run odd.lua --profile ./house.lua --session odd
has 'it is named' "$err" 'odd.bin is neither an image that models take'
serve parts <<<"$said"
profile openai 'takes = { "image", "file" },'
# unheard NAME INPUT WHAT: the session fails, says WHAT, and no model is asked.
unheard() {
  run run look.lua --profile ./house.lua --session "part-$1" --input "$2"
  is "$1: it fails" "$code" 1
  has "$1: it is told where and what" "$err" "part $3"
}
unheard type '["see",{"type":"imge","data":"@@@"}]' \
  '2 of the input of agent eye has the type "imge", which is none of text, image, file'
unheard audio '[{"type":"audio","data":"AAAA"}]' '1 of the input of agent eye has the type "audio"'
unheard text '[{"type":"text"}]' "1 of the input of agent eye is a text without 'text'"
unheard file '[{"type":"file","data":"aGVsbG8="}]' '1 of the input of agent eye is a file, but its'
exits 2 'an image that is none' run look.lua --profile ./house.lua --session hello \
  --input '["see",{"type":"image","media_type":"image/png","data":"aGVsbG8="}]'
has 'is told' "$err" '--input: the data of image 1 of it is no PNG, JPEG, GIF or WebP (5 bytes)'
# unsaid NAME PART WHAT: the same, as the flow has it.
unsaid() {
  sed "s|prompt =|input = { $2 }, prompt =|" look.lua >said.lua
  run run said.lua --profile ./house.lua --session "said-$1"
  is "$1, of the flow: it fails" "$code" 1
  has "$1: it is told where and what" "$err" "part 1 of the input of agent eye $3"
}
unsaid hello '{ type = "image", data = "aGVsbG8=" }' \
  'is an image, but its data is no PNG, JPEG, GIF or WebP ("aGVsbG8=")'
unsaid url '{ type = "image_url", image_url = { url = "data:image/png;base64,aGVsbG8=" } }' \
  'is an image, but its data is no PNG'
pdf_type='type = "base64", media_type = "application/pdf"'
unsaid pdf "{ type = 'document', source = { $pdf_type, data = 'aGVsbG8=' } }" \
  'is a file, but its data is no PDF'
unsaid base64 '{ type = "image", data = "@@@" }' 'has data that is no base64 ("@@@")'
is 'no model was asked' "$(wc -l <parts.log 2>/dev/null || echo 0)" 0
sed 's|prompt =|input = "Of the flow.", prompt =|' look.lua >own.lua
exits 0 'an agent with an input of its own' run own.lua --profile ./house.lua --session own
exits 1 'is given another, which it would not use' run own.lua --profile ./house.lua \
  --session other --input '"Of the session."'
has 'that is told' "$err" "the session's input (--input) would not be used: the agent has"
sed 's|prompt =|input = function(ctx) return ctx.input .. "!" end, prompt =|' look.lua >made.lua
exits 0 'one that makes it of that' run made.lua --profile ./house.lua --session made \
  --input '"Of the session"'
is 'each said what it should' "$(sed 's/.*"content":"\(Of[^"]*\)".*/\1/' parts.log | tr '\n' ' ')" \
  'Of the flow. Of the session! '
exits 1 'an input that no model would see' run look.lua --profile ./house.lua --session lost \
  --input '{"question":"What is it?"}'
has 'it is not lost in silence' "$err" 'the input is a table, which is no message'

echo "1..$checks"
[ "$failed" = 0 ]
