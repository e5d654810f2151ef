#### if, elif, else
for n in 1 2 3; do if [ $n = 1 ]; then echo one; elif [ $n = 2 ]; then echo two; else echo more; fi; done

#### the exit code of if
if false; then :; fi; echo $?; if true; then (exit 4); fi; echo $?

#### for over words, and over nothing
for x in a 'b c' d; do echo "$x"; done; for x in; do echo never; done; echo "$x"

#### for over positional parameters
set -- x 'y z'; for a; do echo "$a"; done; for a do echo "$a"; done

#### while and until
n=0; while [ $n -lt 3 ]; do echo $n; n=$((n+1)); done; until [ $n -eq 0 ]; do n=$((n-1)); done; echo $n

#### break and continue
for i in 1 2 3 4 5; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done

#### break and continue out of two loops
for i in 1 2 3; do for j in a b c; do [ $j = b ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done

#### the exit code of a loop
for i in 1; do false; done; echo $?; while false; do :; done; echo $?; for i in 1 2; do break; done; echo $?

#### a loop with input and output
#@ files fruits.txt
while read -r line; do echo "- $line"; done < fruits.txt > out; cat out

#### a loop at the end of a pipe is a subshell
#@ files fruits.txt
n=0; cat fruits.txt | while read -r line; do n=$((n+1)); done; echo $n; while read -r line; do n=$((n+1)); done < fruits.txt; echo $n

#### functions
f() { echo "$# $1 $2"; return 3; }; f a 'b c'; echo $?; function g { echo g; }; g; function h() { echo h; }; h

#### functions return the last exit code
f() { false; }; f; echo $?; g() { return; }; false; g; echo $?; h() { true; return; }; h; echo $?

#### local variables
x=1; f() { local x=2 y; y=3; x=4; echo $x $y; g; }; g() { echo "seen $x"; x=5; }; f; echo $x ${y-unset}

#### local without a value
x=1; f() { local x; echo "[${x-unset}]"; x=2; }; f; echo $x

#### recursion
fact() { if [ $1 -le 1 ]; then echo 1; else echo $(( $1 * $(fact $(($1 - 1))) )); fi; }; fact 10; fib() { (($1 < 2)) && echo $1 || echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); }; fib 7

#### functions take redirections
f() { echo out; echo err >&2; } 2>&1; f | sort; g() { cat; } <<< input; g

#### functions in pipes
double() { while read -r n; do echo $((n*2)); done; }; seq 3 | double | tail -n 1

#### a function hides a command and command finds it
echo() { printf 'mine %s\n' "$*"; }; echo a; command echo b; builtin echo c; unset -f echo; echo d

#### return outside of a function
return 3; echo $?

#### a function with its own positional parameters
set -- a b; f() { shift; echo "$@" $#; }; f x y z; echo "$@"

#### shift
set -- a b c d; shift; echo "$@"; shift 2; echo "$@"; shift 5; echo $? "$@"; shift; echo $#; shift; echo $?

#### getopts
f() { local OPTIND=1 o; while getopts ab:c o; do case $o in a) echo a;; b) echo "b=$OPTARG";; c) echo c;; *) echo "bad $o";; esac; done; shift $((OPTIND-1)); echo "rest: $*"; }; f -a -b val -c x y; f -acb v z; f -bval -- -a

#### getopts errors
f() { local OPTIND=1 o; while getopts ab: o; do echo "$o ${OPTARG-}"; done; }; f -x; f -b

#### getopts in silence
f() { local OPTIND=1 o; while getopts :ab: o; do echo "$o ${OPTARG-}"; done; }; f -x -a -b

#### groups
{ echo a; echo b; } | wc -l; { false; true; }; echo $?

#### and-or lists
true && echo 1 || echo 2; false && echo 3 || echo 4; true || echo 5; false || false || echo 6; ! true; echo $?; ! false && echo 7

#### a list's exit code
false; true; echo $?; true && false; echo $?; false || (exit 9); echo $?

#### select
#@ stderr any
PS3='? '; select x in a b; do echo "got $x"; break; done <<< 2

#### sourcing a file
echo 'y=$((x+1)); f() { echo from file; }; echo args $*' > lib.sh; x=1; . ./lib.sh; echo $y; f; source lib.sh p q; set -- z; . ./lib.sh

#### return from a sourced file
printf 'echo one\nreturn 4\necho two\n' > lib.sh; . ./lib.sh; echo $?

#### sourcing a missing file
. ./nope.sh; echo $?

#### a script file
printf '#!/bin/bash\necho "$0 $# $1"\nexit 5\n' > s.sh; chmod +x s.sh; ./s.sh 'a b'; echo $?; bash s.sh x; sh ./s.sh

#### a script without the right to run
echo 'echo hi' > s.sh; ./s.sh; echo $?; bash s.sh

#### a script without a shebang
echo 'echo hi $1' > s.sh; chmod +x s.sh; ./s.sh there

#### a directory is no command
mkdir d; ./d; echo $?; /; echo $?

#### eval
x='echo "a  b"'; eval "$x"; eval 'y=5; echo $y'; eval; echo $?; eval 'exit 3' ; echo never

#### eval of a syntax error
#@ stderr any
eval 'if'; echo $?

#### colon and true and false
:; echo $?; : ${x:=5}; echo $x; true a b; echo $?; false a; echo $?

#### empty lines, comments and semicolons
# a comment

echo a; # more
  echo b
echo c;

#### a syntax error ends the shell with 2
#@ stderr any
echo a
if then fi
echo b

#### a syntax error at the end
#@ stderr any
echo a; )

#### exit in a function ends the shell
f() { exit 4; }; f; echo never

#### the time keyword
#@ stderr any
time true; echo $?

#### coprocess-free readers in loops
#@ files table.csv
while IFS=, read -r name age city; do echo "$city: $name ($age)"; done < table.csv

#### nested loops over lines
printf 'a b\nc d\n' | while read -r x y; do for z in $x $y; do echo "$z"; done; done

#### aliases do nothing in scripts
#@ stderr any
alias hi='echo hello'; hi; echo $?

#### caller's variables in a pipeline
x=1; echo a | { read -r y; x=$y; echo $x; }; echo $x

#### a function named like a variable, and unset
f=1; f() { echo fn; }; unset f; f 2>/dev/null; echo $?; echo ${f-none}

#### exported functions
f() { echo "exported $1"; }; export -f f; bash -c 'f x'

#### the status of a loop that is left, and of what is before it
for i in 1 2; do false || break; done; echo $?; for i in 1; do [ a = b ] && :; continue; done; echo $?; (exit 4); for i in 1; do echo $?; [ 1 = 2 ] && continue; done; echo $?; until (exit 3); do echo $?; break; done; for a in 1 2; do for b in 1 2; do [ $b = 2 ] && continue 2; echo $a$b; done; done; echo $?

#### statuses of substitutions
x=$(false); echo $?; x=$(exit 3) || echo failed $?; x=$(false) 2>/dev/null; echo $?; if x=$(echo a; false); then :; else echo "[$x]"; fi

#### errexit and a status that is left over
set -e; ! true; (echo a); ! true; f() { echo b; }; f; ! true; x=$(echo c; echo d); echo $x; ! true; eval 'echo e'
