# damage.sh - damages files. Sourced.

# turn_bit FILE AT BIT: turns one bit of the byte at AT over.
turn_bit() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %02x $((byte ^ (1 << $3))))" |
    dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
