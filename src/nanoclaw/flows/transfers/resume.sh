#!/bin/sh
# @about@
#
#     sh resume.sh [--copy-only] [PROJECT FOLDER [WORDS FOR CLAUDE ...]]
#
# CLAUDE=/path/to/claude names the program, CLAUDE_CONFIG_DIR its folder (else ~/.claude).
set -eu
umask 077
unset CDPATH

transfer=@transfer@
conversation=@conversation@
sha256=@sha256@

say() {
  words=$1
  shift
  # shellcheck disable=SC2059 # The sentences are this script's own.
  printf "$words\n" "$@"
}
fail() { say "$@" >&2; exit 1; }

starts=yes
case ${1-} in
  --copy-only) starts=; shift ;;
  --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0"; exit 0 ;;
esac
if [ "${1-}" = -- ]; then shift; fi

case $0 in /*) here=${0%/*} ;; */*) here=./${0%/*} ;; *) here=. ;; esac
here=$(cd "$here/" && pwd -P) || exit 1
package=$(cd "$here/.." && pwd -P) || exit 1
transcript=$here/$conversation.jsonl

# The folder that Claude Code will work in. With "./" before it, "-" is a folder and no option.
project=.
if [ $# -gt 0 ]; then
  case $1 in /*) project=$1 ;; *) project=./$1 ;; esac
  shift
fi
[ -d "$project" ] || fail @no_folder@ "$project"
project=$(cd "$project/" && pwd -P && echo .) || exit 1
project=${project%??} # the line break and the dot, so that a line break in its name is seen
if [ "$(printf %s "$project" | LC_ALL=C tr -d '\000-\037\177')" != "$project" ]; then fail @odd_folder@; fi

# The transcript as it was packed.
if [ ! -f "$transcript" ] || [ -L "$transcript" ]; then fail @missing@ "$transcript"; fi
if command -v sha256sum >/dev/null; then found=$(sha256sum <"$transcript")
elif command -v shasum >/dev/null; then found=$(shasum -a 256 <"$transcript")
elif command -v openssl >/dev/null; then found=$(openssl dgst -sha256 -r <"$transcript")
else found=; say @unchecked@ >&2
fi
if [ -n "$found" ] && [ "${found%% *}" != "$sha256" ]; then fail @altered@ "$transcript"; fi

# Where the program looks: a folder named after the project, with a dash for every UTF-16 unit but letters and digits.
config=${CLAUDE_CONFIG_DIR:-${HOME:+$HOME/.claude}}
[ -n "$config" ] || fail @no_home@
name=$(printf %s "$project" | LC_ALL=C sed "s/[$(printf '\360')-$(printf '\367')]/--/g" |
  LC_ALL=C tr -d '\200-\277' | LC_ALL=C tr -c 'a-zA-Z0-9' '-')
[ ${#name} -le 200 ] || fail @long_folder@
place=$config/projects/$name
target=$place/$conversation.jsonl
if [ -L "$target" ] || { [ -e "$target" ] && [ ! -f "$target" ]; }; then fail @different@ "$target"; fi

# The project's own folder. A link there would lead what is copied to somewhere else.
ours=$project/.claude/transfers
for each in "$project/.claude" "$ours" "$ours/$transfer"; do
  [ ! -L "$each" ] || fail @linked@ "$each"
  [ ! -e "$each" ] || [ -d "$each" ] || fail @linked@ "$each"
done

new=
trap 'if [ -n "$new" ]; then rm -rf -- "$new"; fi' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p -- "$place"
new=$place/.$conversation.$$
folder=$(printf %s "$project" | sed 's/\\/\\\\/g; s/"/\\"/g' | sed 's/[\\&|]/\\&/g')
sed "s|^{\"cwd\":\"@place@\"|{\"cwd\":\"$folder\"|" "$transcript" >"$new"
if [ ! -e "$target" ]; then
  mv -- "$new" "$target"
  say @placed@ "$target"
elif head -c "$(wc -c <"$new" | tr -d ' ')" "$target" | cmp -s - "$new"; then
  rm -f -- "$new"
  say @there@ "$target"
else
  fail @different@ "$target"
fi
new=

if [ -d "$ours/$transfer" ]; then
  say @files_there@ "$ours/$transfer"
else
  mkdir -p -- "$ours"
  [ -e "$ours/.gitignore" ] || printf '*\n' >"$ours/.gitignore"
  new=$ours/.$transfer.$$
  mkdir -- "$new"
  for each in transfer.md context_bundle.md memory_snapshot.jsonl manifest.json work_artifacts; do
    if [ -e "$package/$each" ]; then cp -RP -- "$package/$each" "$new/"; fi
  done
  mv -- "$new" "$ours/$transfer"
  new=
  say @files_placed@ "$ours/$transfer"
fi

cd "$project"
claude=${CLAUDE:-claude}
if [ -z "$starts" ] || ! command -v "$claude" >/dev/null; then
  shown=$(printf %s "$project" | sed "s/'/'\\\\''/g")
  say @start_it@ "cd '$shown' && claude --resume $conversation"
  exit 0
fi
exec "$claude" --resume "$conversation" "$@"
