#### errexit ends at the first failure
set -e; echo a; false; echo b

#### errexit keeps the code
set -e; (exit 42); echo never

#### errexit spares conditions
set -e; if false; then :; fi; false || true; ! true; while false; do :; done; false && true; echo reached

#### errexit in a function
set -e; f() { false; echo in f; }; f || echo caught; f; echo never

#### errexit in a subshell
set -e; (false; echo never) || echo caught; (false; echo inside); echo never

#### errexit in a substitution
set -e; x=$(false; echo a); echo "[$x]"; y=$(false); echo never

#### errexit and local
set -e; f() { local x=$(false); echo "went on"; }; f

#### errexit in a pipe
set -e; false | true; echo went on; true | false; echo never

#### errexit with an inherited group
set -e; { false; } || echo caught; { echo a; false; echo b; }; echo never

#### errexit with a last and-list
set -e; f() { [ a = b ] && echo no; }; f; echo never

#### pipefail
set -o pipefail; false | true; echo $?; (exit 3) | (exit 5) | true; echo $?; true | true; echo $?

#### pipefail with errexit
set -eo pipefail; false | cat; echo never

#### nounset
set -u; echo "${x-default}"; echo "$nope"; echo never

#### nounset spares the at
set -u; echo "[$@]" "[$*]" $#; a=(); echo "${#a[@]}" "[${a[@]}]"

#### nounset of a positional parameter
set -u; echo $1; echo never

#### xtrace
set -x; x='a b'; echo "$x" c; [ a = b ]; for i in 1 2; do :; done; set +x; echo end

#### xtrace of conditionals and arithmetic
set -x; [[ a == b* && -n x ]]; (( 1 + 2 )); case x in y) ;; esac; y=$(echo z)

#### PS4
PS4='> '; set -x; echo a

#### verbose
set -v
echo a

#### noclobber
set -C; echo a > f; echo b > f; echo $?; echo c >| f; cat f; echo d >> f; cat f

#### allexport
set -a; x=1; bash -c 'echo $x'; set +a; y=2; bash -c 'echo [$y]'

#### noexec
#@ stderr any
bash -n -c 'echo a; if'; echo $?; bash -nc 'echo a'; echo $?

#### options as letters
set -eu; case $- in *e*u*) echo eu;; esac; set +e; case $- in *e*) echo e;; *) echo no e;; esac

#### set with arguments
set -- -a b; echo "$@"; set x y; echo "$@"; set -; echo "$@"; set -- ; echo $#

#### options of the inner shell
bash -ec 'false; echo never'; echo $?; bash -uc 'echo $nope; echo never'; echo $?; bash -xc 'echo a'; bash -c -e 'false; echo never'; echo $?; bash -o pipefail -c 'false | true'; echo $?

#### shopt
shopt -s extglob; shopt -q extglob; echo $?; shopt -u extglob; shopt -q extglob; echo $?; shopt nullglob

#### set -o prints
set -o | grep -E '^(errexit|pipefail|nounset)'; set -o pipefail; set -o | grep '^pipefail'

#### lastpipe
shopt -s lastpipe; echo x | read -r y; echo $y

#### a strict script
set -euo pipefail
IFS=$'\n\t'
readonly WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
printf 'b\na\n' > "$WORK/in"
sort "$WORK/in"
[[ -d $WORK ]]

#### an unknown option
#@ stderr any
set -o nonsense; echo $?; set -Z; echo $?

#### the shell's name in errors of a script
#@ stderr any
printf 'set -u\necho $nope\n' > s.sh; bash s.sh; echo $?

#### inherit errexit through a function in a condition
set -e; f() { echo one; false; echo two; }; if f; then echo three; fi

#### errexit and lists of compound commands
set -e; { false; echo inside; } && echo yes; ! { false; echo negated; }; eval 'false; echo evaluated' || echo no; { { false; echo deep; }; } || echo no; echo end

#### errexit and functions within functions
set -e; g() { false; echo in g; }; f() { g; echo in f; }; f || echo no; if ! f; then echo no; fi; while f; do break; done; x=$(f) || echo no; echo "[$x]"; f | cat; f; echo never

#### errexit and a sourced file
printf 'false\necho in lib\n' > lib.sh; set -e; . ./lib.sh || echo no; . ./lib.sh; echo never

#### errexit and loops that are left
set -e; for i in 1 2; do false || continue; done; while read -r l; do [ "$l" = b ] && break; done <<< $'a\nb\nc'; echo "$l"; until [ 1 = 1 ] && true; do :; done; f() { for i in 1; do [ 1 = 2 ] && continue; done; }; f; echo never
