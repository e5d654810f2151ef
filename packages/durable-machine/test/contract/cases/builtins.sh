#### echo
#@ each
echo
echo -n a
echo b
echo -e 'a\tb\nc\\d'
echo -E 'a\tb'
echo -- -n
echo -x
echo - a
echo a  b
echo -ne 'x\n'
echo -e 'cut\chere'
echo .

#### echo -e bytes
echo -en '\xff\x00\0101\u00e4\e' | od -An -tx1

#### printf of strings
#@ each
printf '%s %s\n' a b c
printf '%5s|%-5s|%.2s|%5.1s|\n' abc abc abc abc
printf '%s\n'
printf 'plain\n' a b
printf '%%|%c%c\n' xyz b

#### printf escapes
#@ each
printf 'a\tb\\n\n\101\x42\u00e4\0\n' | od -An -tx1
printf '%b|%s\n' 'a\tb\x41' 'a\tb'
printf '\xff' | od -An -tx1

#### printf of floats
printf '%f %.2f %e %g %G\n' 3.14159 2.5 12345.678 0.0001 1e20; printf '%5.1f|%-8.3f|%08.2f|%+.1f\n' 3.14 2.5 -1.5 2

#### printf with stars
printf '%*d|%-*d|%.*f\n' 5 42 5 42 2 3.14159

#### printf repeats its format
#@ each
printf '%s=%d\n' a 1 b 2 c
printf '%d\n'
printf '<%s>' 1 2 3; echo

#### printf of bad numbers
#@ each
printf '%d\n' abc; echo $?
printf '%d\n' 12x; echo $?
printf '%y\n' a; echo $?

#### printf into a variable
printf -v x '%03d' 7; echo $x; printf -v 'a[2]' %s z; echo ${a[2]}

#### printf of times
TZ=UTC printf '%(%Y-%m-%d %H:%M:%S)T\n' 0 86399

#### printf of wide text
printf '%s|%5s|%.1s\n' ä ab xy

#### read into several variables
read -r a b c <<< '1 2 3 4'; echo "$a|$b|$c"; read -r a b <<< 'one'; echo "$a|$b|"; read -r <<< '  kept  '; echo "[$REPLY]"; read -r x <<< '  cut  '; echo "[$x]"

#### read with and without backslashes
read x <<< 'a\tb\\c'; echo "$x"; read -r x <<< 'a\tb'; echo "$x"; printf 'one\\\ntwo\n' | { read x; echo "$x"; }

#### read with a delimiter and a count
read -r -d : x <<< 'a:b'; echo $x; read -r -n 3 x <<< abcdef; echo $x; read -r -N 4 x <<< $'ab\ncd'; echo "$x" | od -An -c

#### read into an array
read -r -a w <<< 'x y z'; echo ${#w[@]} ${w[2]}; IFS=, read -r -a v <<< 'a,b,,c'; echo ${#v[@]} "[${v[2]}]"

#### read at the end of the input
read -r x < /dev/null; echo $?; printf 'no newline' | { read -r x; echo "$? $x"; }; printf 'a\nb' | while read -r x || [ -n "$x" ]; do echo "$x"; done

#### read with IFS
IFS=: read -r user _ uid rest <<< 'root:x:0:0:root:/root'; echo $user $uid $rest; while IFS='=' read -r k v; do echo "$k -> $v"; done <<< $'a=1\nb=2=3'

#### read -t on what is there
read -r -t 2 x <<< quick; echo $? $x

#### read of NUL separated names
printf 'a b\0c\nd\0' | while IFS= read -r -d '' x; do printf '<%s>' "$x"; done; echo

#### declare
declare x=1; declare -r y=2; declare -x z=3; declare -u up=abc; declare -l low=ABC; echo $x $y $z $up $low; bash -c 'echo $z'

#### read only variables
readonly x=1; x=2; echo never

#### unset
x=1; unset x; echo ${x-gone}; f() { :; }; unset -f f; f; echo $?; unset nope; echo $?

#### unset of a read only variable
readonly x=1; unset x; echo $? $x

#### local outside of a function
local x=1; echo $?

#### typeset and declare -g
f() { declare -g g=1; typeset t=2; }; f; echo $g ${t-none}

#### declare -f
f() { echo a; if true; then echo b; fi; }; declare -f f; declare -F f

#### test of an unknown builtin option
#@ stderr any
declare -Z x; echo $?; read -Z x < /dev/null; echo $?

#### export -p
export BERTH_X='a b'; export -p | grep BERTH_X

#### command and builtin
#@ each
command echo a
builtin echo b
command -V nosuch; echo $?
builtin nosuch; echo $?

#### enable and help
#@ stderr any
enable -n echo; echo from a program; help true > /dev/null; echo $?

#### history is off in scripts
history; echo $?

#### dot with arguments and path
mkdir p; echo 'echo in lib $1' > p/lib; PATH=$PWD/p:$PATH; . lib x

#### a program on PATH
mkdir bin; printf '#!/bin/sh\necho "mine: $*"\n' > bin/tool; chmod +x bin/tool; PATH=$PWD/bin:$PATH; tool a b; command -v tool | sed 's,.*/bin,bin,'

#### an empty PATH
PATH=; ls; echo $?; /bin/echo still

#### let and exit codes
#@ each
let 1; echo $?
let 0; echo $?
let; echo $?

#### colon with a redirection
: > f; [ -e f ] && echo made

#### variables of a call
f() { echo ${FUNCNAME[0]} ${FUNCNAME[1]} $LINENO; }; g() { f; }; g

#### a here-string of variables
x=$'a\nb'; cat <<< "$x"; cat <<< $x; wc -l <<< "$x"

#### echo of options as words
#@ each
echo -n
echo -nn x
echo -ex
echo -e
echo -n -e 'a\n'

#### true programs beside builtins
#@ each
/bin/true; echo $?
/bin/false; echo $?
/bin/echo -e 'a\tb'
/usr/bin/printf '%s\n' x
/bin/test a = a; echo $?
/bin/pwd | sed 's,.*/,,' | grep -c .

#### mapfile of empty input
mapfile -t a < /dev/null; echo ${#a[@]}

#### shift and set in a loop
set -- a b c; while [ $# -gt 0 ]; do echo "$1"; shift; done

#### an option parser
f() { while [ $# -gt 0 ]; do case $1 in -v|--verbose) v=1;; --name=*) n=${1#*=};; -o) o=$2; shift;; --) shift; break;; -*) echo "unknown $1" >&2; return 2;; *) break;; esac; shift; done; echo "v=$v n=$n o=$o rest=$*"; }; f -v --name=x -o out -- -z y; f --bad; echo $?

#### string building in a loop
s=; for i in {1..300}; do s+="$i,"; done; echo ${#s} ${s: -8}

#### counting loop of some length
n=0; for ((i = 0; i < 20000; i++)); do ((n += i)); done; echo $n

#### deep recursion of some depth
f() { if (( $1 == 0 )); then echo bottom; else f $(( $1 - 1 )); fi; }; f 60
