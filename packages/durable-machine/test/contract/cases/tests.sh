#### strings
#@ each
[ a = a ] && echo 1
[ a != b ] && echo 2
[ -z '' ] && echo 3
[ -n x ] && echo 4
[ x ] && echo 5
[ '' ] || echo 6
[ a == a ] && echo 7

#### integers
[ 1 -eq 1 ] && [ 1 -ne 2 ] && [ 1 -lt 2 ] && [ 2 -gt 1 ] && [ 1 -le 1 ] && [ 1 -ge 1 ] && echo yes

#### and, or, not, parentheses
[ a -a b ] && [ '' -o b ] && [ ! '' ] && [ \( a = a \) -a \( b = b \) ] && echo yes

#### the string order
[ a \< b ] && echo 1; [[ a < b ]] && echo 2; [[ b > a ]] && echo 3; [[ B < a ]] && echo 4

#### file types
#@ files fruits.txt
mkdir d; ln -s fruits.txt l; ln -s nowhere broken; for f in fruits.txt d l broken nope; do for o in e f d L h s r w; do [ -$o $f ] && printf "%s " $o; done; echo $f; done

#### executable files
#@ files fruits.txt
touch x; chmod +x x; [ -x x ] && echo x; [ -x fruits.txt ] || echo not

#### empty files
touch e; [ -s e ] || echo empty; echo a > e; [ -s e ] && echo full

#### newer, older, the same file
#@ before touch -d '2020-01-01' a; touch -d '2021-01-01' b; ln a c
#@ each
[ b -nt a ] && echo nt
[ a -ot b ] && echo ot
[ a -ef c ] && echo ef
[ a -ef b ] || echo other
[ a -nt nope ] && echo there

#### set-user-id, set-group-id, sticky
touch f; mkdir d; chmod u+s f; chmod g+s f; chmod +t d; [ -u f ] && [ -g f ] && [ -k d ] && echo yes

#### pipes and terminals
#@ each
[ -p /dev/null ] || echo no pipe
[ -c /dev/null ] && echo character
[ -t 0 ] || echo no terminal
[ -S . ] || echo no socket
[ -b . ] || echo no block

#### owners
touch f; [ -O f ] && [ -G f ] && echo mine

#### missing brackets
[ a = a; echo $?

#### too many arguments
[ a b c d ]; echo $?

#### not an integer
[ a -lt 1 ]; echo $?

#### a unary operator expected
[ -q x ]; echo $?; [ a b ]; echo $?

#### test without arguments
#@ each
test; echo $?
[ ]; echo $?
test -n; echo $?

#### patterns
[[ hello == h* ]] && echo 1; [[ hello == 'h*' ]] || echo 2; [[ hello != *z* ]] && echo 3; p='h?llo'; [[ hello == $p ]] && echo 4; [[ hello == "$p" ]] || echo 5; [[ a.b == *.[ab] ]] && echo 6

#### regular expressions
[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]] && echo "${BASH_REMATCH[0]} ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"; [[ abc =~ ^[0-9] ]]; echo $?

#### a regular expression from a variable and a quoted one
r='^a.c$'; [[ abc =~ $r ]] && echo 1; [[ abc =~ "$r" ]] || echo 2; [[ 'a.c' =~ a"."c ]] && echo 3; [[ 'a b' =~ a\ b ]] && echo 4

#### classes, intervals, alternatives
[[ 2024-03-15 =~ ^[[:digit:]]{4}-(0[1-9]|1[0-2])-([0-9]{2})$ ]] && echo "${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"; [[ foo@bar.org =~ ^[[:alnum:]._-]+@[[:alnum:].-]+$ ]] && echo mail

#### an unmatched group is empty
[[ ac =~ a(b)?c ]] && echo "[${BASH_REMATCH[1]}] ${#BASH_REMATCH[@]}"

#### and, or, not, grouping in double brackets
[[ a == a && ( b == c || d == d ) && ! x == y ]] && echo yes

#### no splitting in double brackets
x='a b'; [[ $x == 'a b' ]] && echo 1; [[ -n $x && -z $nope ]] && echo 2; y=; [[ $y == '' ]] && echo 3

#### is a variable set
x=; [[ -v x ]] && echo set; [[ -v nope ]] || echo unset; [ -v x ] && echo set too

#### a shell option
set -f; [ -o noglob ] && echo on; [[ -o errexit ]] || echo off

#### short circuit
f() { echo called; }; [[ a == b && $(f) ]]; [ a = b ] && f; [ a = a ] || f; echo done

#### case-insensitive matching
shopt -s nocasematch; [[ HELLO == hello ]] && echo yes; case ABC in abc) echo case;; esac

#### test of three arguments with a bang
#@ each
test ! a = b && echo 1
test ! '' && echo 2
test '(' a ')' && echo 3

#### what a file may be read by
#@ user
#@ before touch f; chmod 000 f
#@ each
[ -r f ] || echo no r
[ -w f ] || echo no w
cat f; echo $?

#### root reads everything
#@ root
echo x > f; chmod 000 f; [ -r f ] && [ -w f ] && cat f; [ -x f ] || echo no x
