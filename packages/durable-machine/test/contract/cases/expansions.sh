#### default values
unset a; b=; c=x; echo "${a-1} ${a:-2} ${b-3} ${b:-4} ${c-5} ${c:-6}"

#### assigning default values
unset a; b=; echo "${a=1} ${b=2} ${b:=3}"; echo "$a $b"

#### alternative values
unset a; b=; c=x; echo "<${a+1}> <${a:+1}> <${b+1}> <${b:+1}> <${c+1}> <${c:+1}>"

#### a required value that is missing ends the shell
echo ${nope:?is missing}; echo not reached

#### a required value without a message
echo ${nope?}; echo not reached

#### a required value that is there
x=1; echo ${x:?no} ${x?no}

#### length
x=hello; e=; echo ${#x} ${#e} ${#nope}

#### substrings
x=abcdefgh; echo ${x:2} ${x:2:3} ${x: -3} ${x: -3:2} ${x:0:-2} ${x:1:-1} ${x:20} "${x:(-2)}"

#### substring with arithmetic
x=abcdefgh; i=2; echo ${x:i} ${x:i+1:i} ${x:$i:$((i*2))}

#### shortest and longest prefix
x=/a/b/c.tar.gz; echo ${x#*/} ${x##*/} ${x#nope} ${x#/a}

#### shortest and longest suffix
x=/a/b/c.tar.gz; echo ${x%.*} ${x%%.*} ${x%/*} ${x%%/*}

#### prefix and suffix patterns with classes
x=abc123def; echo ${x#[a-c]} ${x##[a-z]*[0-9]} ${x%[!0-9]*} ${x%%[0-9]*}

#### replace first and all
x=banana; echo ${x/a/o} ${x//a/o} ${x/an/} ${x//an} ${x/#b/B} ${x/%a/A} ${x/x/y}

#### replace with variables and patterns
x='a.b.c'; p=.; r=-; echo ${x//$p/$r} ${x//./\/} ${x//[ab]/<>} "${x/*./}"

#### replace with an ampersand stays an ampersand when quoted
x=abc; echo "${x/b/"&"}" "${x/b/\&}"

#### case of letters
x='hello World'; echo "${x^}" "${x^^}" "${x,}" "${x,,}" "${x^^[lo]}" "${x~~}"

#### indirection
a=b; b=c; echo ${!a}; b=nope; echo "[${!b-none}]"; echo ${!nope-none}; echo not reached

#### names with a prefix
berth_one=1 berth_two=2; echo ${!berth_*} "${!berth_@}"

#### transformations
x=abc; echo ${x@U} ${x@u} ${x@Q} ${x@A}; y='a\tb'; echo "${y@E}"; z=ABC; echo ${z@L}

#### positional parameters
set -- a b c d e f g h i j k; echo $1 $2 ${10} ${11} $# ${#} ${@:2:3} ${@: -2} ${*:10}

#### at and star, quoted and not
set -- 'a b' c ''; for w in "$@"; do echo "<$w>"; done; for w in "$*"; do echo "[$w]"; done; for w in $@; do echo "{$w}"; done; for w in $*; do echo "($w)"; done

#### star joins with the first character of IFS
set -- a b c; IFS=,; echo "$*" "$@"; IFS=; echo "$*"; unset IFS; echo "$*"

#### at within a word
set -- a b c; printf '<%s>' "x$@y"; echo; set --; printf '<%s>' "x$@y" "$@"; echo

#### zero is the shell's name
echo $0

#### zero and arguments after the script
#@ argv ["bash", "-c", "echo $0 $1 \"$2\" $#", "name", "a", "b  c"]

#### special parameters
true; echo $?; false; echo $?; (exit 7); echo $?; echo ${-//[^h]/x} >/dev/null; echo ${#$} >/dev/null; set -- a b; echo $#

#### last argument of the command before
echo a b c >/dev/null; echo $_

#### command substitution drops trailing newlines only
x=$(printf '\n\na\nb\n\n\n'); echo "[$x]"

#### command substitution keeps the exit code
x=$(exit 3); echo $?; x=$(echo a; false); echo "$? $x"

#### backquotes
x=`echo a \`echo b\``; echo "$x" "`echo \"c d\"`"

#### substitution of a file
#@ files fruits.txt
echo "$(< fruits.txt)"

#### substitution splits into words when unquoted
set -- $(echo 'a  b'; echo c); echo $# "$@"

#### a NUL byte in a substitution is dropped
#@ stderr any
x=$(printf 'a\0b'); echo "${#x} $x"

#### nested expansions
x=; y=deep; echo "${x:-${nope:-${y}}}" "${nope:-$(echo sub)}" "${nope:-$((1+2))}"

#### pattern from a variable quoted is literal
x='a*b'; p='*'; echo "${x#a"$p"}" "${x#a$p}"

#### tilde
HOME=/somewhere; echo ~ ~/x "~" a~ x=~/y; y=~/z; echo $y; PATH_LIKE=~/a:~/b; echo $PATH_LIKE

#### words are split at IFS
x='a:b::c:'; IFS=:; set -- $x; echo $#; printf '<%s>' "$@"; echo

#### words are split at white space around IFS
x='  a  b	c
d  '; set -- $x; echo $#; printf '<%s>' "$@"; echo

#### no splitting in assignments and quotes
x='a   b'; y=$x; echo "$y"; case $x in 'a   b') echo same;; esac

#### an empty IFS does not split
x='a b c'; IFS=; set -- $x; echo $#

#### white space and other characters in IFS
x='a , b ,c, ,d'; IFS=' ,'; set -- $x; printf '<%s>' "$@"; echo

#### bad substitution
#@ stderr any
echo ${x!y}; echo not reached

#### assignment before a command is its own
x=1; x=2 bash -c 'echo $x'; echo $x

#### several assignments at once
a=1 b=$((a+1)) c="$a$b"; echo $a $b $c

#### appending to a variable
x=a; x+=b; x+="c d"; echo "$x"; declare -i n=5; n+=3; echo $n

#### length of positional parameters and of all
set -- abc de; echo ${#1} ${#@} ${#*}

#### a large value passes whole
x=$(printf '%0200000d' 7); echo ${#x}; echo "$x" | wc -c

#### offset beyond the end and zero length
x=abc; echo "<${x:3}><${x:4}><${x:0:0}><${x:1:1}>"

#### variables that the shell has
#@ each
echo $BASH_VERSINFO | grep -c '^[0-9]'
echo ${BASH_VERSION%%.*}
echo $OSTYPE
echo "[$PS1]" $PPID | grep -c '^\[\] [0-9]*$'
echo "$IFS" | od -An -c

#### random and seconds
RANDOM=42; a=$RANDOM; RANDOM=42; b=$RANDOM; [ $a = $b ] && echo same; [ $a -ge 0 ] && [ $a -le 32767 ] && echo within; echo $SECONDS

#### line numbers
echo $LINENO
echo $LINENO

#### who runs it
#@ root
#@ each
echo $UID $EUID ~root
id -u
id -un
whoami
