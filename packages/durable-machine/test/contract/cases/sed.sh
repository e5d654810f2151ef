#### substitution
#@ files fruits.txt
#@ each
sed s/a/A/ fruits.txt
sed s/a/A/g fruits.txt
sed s/a/A/2 fruits.txt
sed 's/APPLE/x/I' fruits.txt
sed -n s/an/AN/p fruits.txt
sed 's|/|-|g' <<< a/b/c
sed 's/a/A/2g' <<< aaaa
sed 's,x,y,' <<< axb

#### groups and the whole match
#@ each
sed 's/\(.*\)=\(.*\)/\2=\1/' <<< key=value
sed -E 's/([a-z]+) ([0-9]+)/\2 \1/' <<< 'abc 123'
sed 's/[0-9]*/<&>/' <<< 42x
sed 's/b/\&/' <<< abc
sed -r 's/(a|b)+/X/' <<< ababc
sed 's/\(a\)\(b\)\?/[\1\2]/' <<< ac

#### printing
#@ files fruits.txt
#@ each
sed -n 2p fruits.txt
sed -n 2,3p fruits.txt
sed -n '$p' fruits.txt
sed -n '/an/p' fruits.txt
sed 1p fruits.txt | head -n 3
sed -n '$=' fruits.txt
sed -n '/apple/=' fruits.txt
sed = fruits.txt | head -n 4
sed --quiet 1p fruits.txt

#### deleting
#@ files fruits.txt
#@ each
sed 1d fruits.txt
sed '2,3d' fruits.txt
sed '$d' fruits.txt
sed /an/d fruits.txt
sed '/an/!d' fruits.txt
sed '2,$d' fruits.txt
sed '/^$/d' <<< $'a\n\nb'

#### addresses
#@ before seq 10 > f
#@ each
sed -n '2~3p' f
sed -n '/3/,/5/p' f
sed -n '3,+2p' f
sed -n '0~4p' f
sed -n '8,$p' f
sed -n '/5/,$p' f
sed '2,9!d' f
sed -n '5,2p' f
sed -n '0,/1/p' f
sed -n '2,~4p' f
sed -n '\,7,p' f
sed -n '/1$/I,3p' f

#### several commands
#@ files fruits.txt
sed -e s/a/1/ -e s/b/2/ fruits.txt; sed 's/a/1/;s/e/3/' fruits.txt; sed '/apple/{s/a/A/;s/e/E/}' fruits.txt; sed -n '1{p;p}' fruits.txt; printf 's/a/X/\n2d\n' > s.sed; sed -f s.sed fruits.txt; sed '
# comment
s/p/P/ # more
2d' fruits.txt

#### append, insert, change
seq 3 > f; sed '2a\after' f; sed '2i\before' f; sed '2c\changed' f; sed '2a after' f; sed '1i one\ntwo' f; sed '$a end' f; sed '/2/c\
new' f; sed '2,3c both' f; sed 'a\  spaces' f | head -n 2

#### translating
#@ each
echo hello | sed y/el/ip/
echo 'a/b' | sed 'y,/,-,'
echo abc | sed 'y/abc/\n\t\\/' | od -An -c

#### in place
#@ files fruits.txt
sed -i s/apple/APPLE/ fruits.txt; cat fruits.txt; sed -i.bak 1d fruits.txt; ls; wc -l < fruits.txt; wc -l < fruits.txt.bak; sed -i '/fig/d' nope; echo $?; sed -n -i 2p fruits.txt; cat fruits.txt; cp fruits.txt g; sed -i -e 's/^/> /' fruits.txt g; cat g; sed --in-place=.orig s/x/y/ g; ls

#### in place keeps the mode
echo a > f; chmod 755 f; sed -i s/a/b/ f; stat -c %a f; cat f

#### quitting
#@ each
seq 5 | sed 3q
seq 5 | sed -n '2{p;q}'
seq 5 | sed 2q5; echo $?
seq 5 | sed -n '3Q;p'

#### hold space
#@ each
seq 3 | sed -n '1!G;h;$p'
seq 4 | sed 'N;s/\n/-/'
seq 4 | sed '$!N;$!D'
printf 'a\nb\n' | sed 'x;p;x'
seq 3 | sed 'H;$!d;x;s/\n/,/g'
seq 4 | sed -n 'h;n;G;p'
seq 3 | sed G

#### branching
#@ each
seq 3 | sed ':a;N;$!ba;s/\n/ /g'
echo aaa | sed ':x;s/a/b/;tx'
seq 3 | sed '2b;s/^/x/'
seq 3 | sed -n '2bend;p;:end'
echo abc | sed 's/x/y/;T;s/a/1/'
echo 1234567 | sed -E ':a;s/^([0-9]+)([0-9]{3})/\1,\2/;ta'

#### next lines
#@ each
seq 5 | sed 'n;d'
seq 5 | sed -n 'n;p'
seq 4 | sed '/2/{N;d}'
seq 5 | sed '$!N;P;D'
printf 'a\nb\nc\n' | sed '/a/{n;s/b/B/}'

#### reading and writing files
seq 3 > f; echo inserted > g; sed '2r g' f; sed -n '/2/w out' f; cat out; sed 's/1/one/w changes' f > /dev/null; cat changes; sed 'r nope' f; sed -n 2w/dev/stdout f

#### special replacements
#@ each
echo 'hello world' | sed 's/\w\+/[&]/g'
echo hello | sed 's/.*/\U&/'
echo 'hello world' | sed 's/\b./\u&/g'
echo HELLO | sed 's/.*/\L&/'
echo foobar | sed 's/\(foo\)\(bar\)/\U\1\E\2/'
echo a,b | sed 's/,/\n/'
echo 'a	b' | sed 's/\t/ TAB /'
echo abc | sed 's/$/!/;s/^/¡/'

#### greedy and empty matches
#@ each
echo aXbXc | sed 's/X.*//'
echo abc | sed 's/x*/-/g'
echo baaac | sed 's/a*/x/g'
echo 'a  b   c' | sed 's/  */ /g'
echo abc | sed 's/b*/X/2'

#### the line as it is
printf 'a\tb\\\001\n' | sed -n l; printf 'long %s\n' {1..20} | tr '\n' ' ' | sed -n l

#### no newline at the end
#@ each
printf 'a\nb' | sed s/b/c/; echo
printf 'a' | sed p; echo
printf 'a' | sed '$a b'

#### several files
#@ before printf '1\n2\n' > a; printf '3\n4\n' > b
#@ each
sed -n '$p' a b
sed -s -n '$p' a b
sed -n 3p a b
sed 1d a b
sed -n F a

#### NUL separated
printf 'a\0b\0' | sed -z 's/^/x/' | tr '\0' '\n'; printf 'a\nb\n' | sed -z 's/\n/,/g'; echo

#### errors
#@ stderr any
#@ each
sed 's/a' <<< x; echo $?
sed k <<< x; echo $?
sed p nope; echo $?
sed; echo $?
sed -n '/a' <<< x; echo $?

#### GNU's words for errors
#@ each
sed p nope
sed k <<< x
sed s/a <<< x
sed 's/a/b/gg' <<< x
sed 's/\(a/b/' <<< x

#### quotes and variables in a script
x=new; echo old | sed "s/old/$x/"; p=/a/b; echo "$p" | sed "s|$p|X|"; echo "it's" | sed "s/'/\"/"

#### exec flag and unknown line ends
printf 'a\r\n' | sed 's/\r$//' | od -An -c; printf 'x\n' | sed 's/x/a\
b/'

#### a configuration file is edited
printf '[a]\nkey=1\nother=2\n[b]\nkey=3\n' > c; sed -i '/^\[b\]/,/^\[/s/^key=.*/key=9/' c; cat c; sed -n '/^\[a\]/,/^\[b\]/{/^\[/!p}' c; sed 's/^\([^=]*\)=\(.*\)/export \U\1\E="\2"/' c

#### line numbers in a long text
#@ before seq 100000 > f
#@ each
sed -n '$p' f; sed -n '5p;50000,50002p;$p' f; sed '3,$d' f; sed '$!d' f; sed '2!d' f
sed '1d' f | md5sum; sed '$d' f | md5sum; sed -n '99999,$p' f; sed '2,99999d;s/1/x/' f
sed -n -e 70000p -e '/^9999.$/p' f; sed -n '60000,5p' f; sed '1d;$d;s/7/y/g' < f | md5sum
head -c -1 f | sed -n '$p'; (cat f; printf end) | sed '$d' | tail -n 1; sed '$s/$/!/' f | tail -n 1
awk 'END {print NR, $0}' f
