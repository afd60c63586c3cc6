-- .luacheckrc - what Lua files may use; the policy VM's allow-list goes here with the VM.
std = "lua54"
max_line_length = 120
unused_args = false
