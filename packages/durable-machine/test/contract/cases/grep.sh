#### lines
#@ files fruits.txt
#@ each
grep an fruits.txt
grep nope fruits.txt; echo $?
grep -v an fruits.txt
grep -c an fruits.txt
grep -n an fruits.txt
grep -i APPLE fruits.txt

#### several files
#@ files fruits.txt numbers.txt
#@ each
grep e fruits.txt numbers.txt
grep -h 1 fruits.txt numbers.txt
grep -l a fruits.txt numbers.txt
grep -L a fruits.txt numbers.txt
grep -c 1 fruits.txt numbers.txt
grep -H an fruits.txt
grep -n 1 fruits.txt numbers.txt

#### only what matches
#@ files fruits.txt
#@ each
grep -o an fruits.txt
grep -on 'a[a-z]' fruits.txt
grep -ob p fruits.txt
echo 'a1b22c333' | grep -oE '[0-9]+'
echo 'key=value' | grep -oP '(?<=key=)\w+'

#### extended expressions
#@ before printf 'cat\ncot\ncut\ncart\nct\n' > f
#@ each
grep -E 'c(a|o)t' f
grep -E 'ca?r?t' f
grep -E '^c.t$' f
grep -E 'c[aou]{1}t' f
grep 'c\(a\|u\)t' f
grep 'car\?t' f
grep -E 'c.+t' f
grep -E '(c)a.*|u' f
egrep 'cat|cut' f

#### basic expressions take letters literally
#@ before printf 'a+b\na|b\na{2}\n(x)\naab\n' > f
#@ each
grep 'a+b' f
grep 'a|b' f
grep 'a{2}' f
grep '(x)' f
grep 'a\{2\}' f
grep -E 'a\+b' f
grep -F 'a|b' f
fgrep '(x)' f

#### back references and classes
#@ before printf 'abab\nabba\nhello\n' > f
#@ each
grep '\(ab\)\1' f
grep -E '(.)\1' f
grep '[[:alpha:]]*ll' f
printf 'a1\n b\n\n' | grep -c '^[[:space:]]'
printf 'x\n\ny\n' | grep -c '^$'
printf 'a.b\naxb\n' | grep 'a\.b'

#### words and whole lines
#@ before printf 'cat\ncatalog\na cat here\nconcat\n' > f
#@ each
grep -w cat f
grep -x cat f
grep '\bcat\b' f
grep '\<cat' f
grep 'cat\>' f
grep -c -w cat f
grep -wo cat f

#### context
#@ before seq 10 > f
#@ each
grep -A 1 5 f
grep -B 1 5 f
grep -C 1 5 f
grep -n -A 1 -B 1 -e 3 -e 8 f
grep -A1 -E '^(2|3)$' f
grep --no-group-separator -A 1 -e 2 -e 7 f
grep -c -A 1 5 f

#### quiet and errors
#@ files fruits.txt
#@ each
grep -q apple fruits.txt; echo $?
grep -q nope fruits.txt; echo $?
grep x nope; echo $?
grep -s x nope; echo $?
grep -q apple fruits.txt nope; echo $?
grep apple fruits.txt nope; echo $?
grep; echo $?

#### recursive
#@ files project
#@ each
grep -r function . | sort
grep -rl TODO . | sort
grep -rn TODO src | sort
grep -r --include='*.md' TODO . | sort
grep -r --exclude='*.md' TODO . | sort
grep -rc TODO src | sort
grep -r --exclude-dir=docs TODO . | sort
grep -rh TODO docs
grep -R TODO docs | sort
grep TODO -r src | wc -l
grep -rL TODO src | sort

#### several patterns
#@ files fruits.txt
grep -e apple -e plum fruits.txt; printf 'fig\nplum\n' > p; grep -f p fruits.txt; grep -E 'apple|fig' fruits.txt; grep 'apple
fig' fruits.txt; grep -v -e apple -e fig fruits.txt; grep -F -x -f p fruits.txt

#### limits
#@ files fruits.txt
#@ each
grep -m 1 a fruits.txt
grep -m2 -c a fruits.txt
grep -n -m 1 p fruits.txt
seq 100 | grep -m 3 5

#### standard input
#@ each
echo text | grep t
echo text | grep -H t
echo text | grep -c t -
printf 'a\nb\n' | grep -n b
grep a <<< abc

#### a pattern that begins with a dash
printf -- '-v\nx\n' > f; grep -e -v f; grep -- -v f

#### binary files
printf 'text\0more\n' > b; grep text b; grep -a text b | od -An -c; grep -c text b; grep -o text b; grep -q text b; echo $?; printf 'a\n\377match\n' > c; grep match c; grep -I text b; echo $?

#### empty patterns and lines
#@ before printf 'a\n\nb\n' > f
#@ each
grep '' f
grep -c '' f
grep -v '^$' f
grep -c . f
grep -e '' /dev/null; echo $?

#### anchors and dots
#@ before printf 'ab\nba\na b\n' > f
#@ each
grep '^a' f
grep 'a$' f
grep 'a.b' f
grep '^.\{2\}$' f
grep -E '^(a|b)' f
grep 'a*' f | wc -l
grep '\^' f; echo $?

#### perl expressions
#@ before printf 'foo123\nbar\n' > f
#@ each
grep -P '\d+' f
grep -oP 'foo\K\d+' f
grep -P '^(?!foo)' f
grep -P 'o{2}' f
grep -oP '(?i)BAR' f

#### a bad expression
#@ stderr any
#@ each
grep '[' /dev/null; echo $?
grep -E '(' /dev/null; echo $?
grep -E 'a{1' /dev/null; echo $?

#### NUL separated names and lines
echo x > 'a b'; grep -lZ x * | od -An -c; printf 'a\0b\0' | grep -z b | od -An -c

#### utf-8
#@ before printf 'grün\nblau\n' > f
#@ each
grep ü f
grep 'gr.n' f
grep -o 'gr.' f
grep -i GRÜN f
grep -E '^.{4}$' f

#### inverted words and counts
#@ before printf 'a b\nc d\na d\n' > f
#@ each
grep -vw a f
grep -vc a f
grep -vn a f
grep -ivx 'A B' f
grep -L zzz f; echo $?
grep -l zzz f; echo $?

#### --color and labels
#@ each
echo abc | grep --color=always b
echo abc | grep --color=never b
echo abc | grep -H --label=name b
echo abc | grep --color=auto b

#### line buffered and other flags without effect
#@ each
echo abc | grep --line-buffered b
echo abc | grep -U b
echo 'a	b' | grep -T b
grep -y B <<< abc

#### rg
#@ needs rg
#@ files project
#@ each
rg TODO --sort path
rg -l TODO --sort path
rg -n TODO src --sort path

#### names below the working directory
mkdir -p d/e; echo TODO > d/e/f; grep -rn TODO .; grep -rn TODO ./; grep -rl TODO ./d; grep -r TODO; grep -rc TODO d/; cd d; grep -rh TODO .; grep -rl TODO . | xargs cat

#### large inputs
#@ before seq 60000 > f; seq 40000 > g; mkdir d; cp f d
#@ each
grep -m 3 99 f
grep -n -C1 -e '^5000$' -e '^45000$' f
grep -C2 39999 f g
grep -n -B3 -A1 '^4000' g
grep -A2 -m2 -n 1234 f
grep -c 77 f g
grep -hc 8 f g
grep -r 39999 . | sort
grep -rc 1 d f
grep -l 59999 f g; echo $?
grep -L 59999 f g; echo $?
grep -q 59999 g f; echo $?
grep -on 2999 f g
cat f | grep -n -m1 59999
cat f | grep -c 1 - g
echo 12345 > p; grep -n -f p f
grep -m 2 -c 1 f nope; echo $?
grep -n x f; echo $?

#### long lines beside large files
seq 60000 > f; head -c 100000 /dev/zero | tr '\0' x > l; echo >> l; echo 7 >> l; grep -c x l f; grep -n '^7$' l f

#### groups of several files
#@ before seq 9 > a; seq 5 > b; printf 'a\r5:b\n' > r
#@ each
grep -A1 1 a b
grep -A0 -e 3 -e 8 a
grep -o -A1 -e 3 -e 8 a
seq 10 13 | grep -n -A3 -m1 1
grep -n 5 a - b < r
grep -n b r

#### counts, names and limits together
#@ before seq 9 > a; seq 5 > b
#@ each
grep -Hc 1 a
grep -cl 1 a b
grep -l 1 < a
grep -m0 1 a; echo $?
grep -m x 1 a; echo $?
grep -A x 1 a; echo $?
grep -vo 1 a; echo $?
grep -q 1 nope a; echo $?
yes | grep -m2 y

#### ends of lines in several patterns
#@ before printf 'ab\nba\n$\n' > f
#@ each
grep -e 'a$' -e 'x$' f
grep 'a$\|x' f
grep -c '\$' f

#### hidden files, symlinks and chosen names
#@ before mkdir -p d/.h; echo x | tee d/.e d/.h/f > d/v; ln -s v d/l; ln -s d dl
#@ each
grep -r x d | sort
grep -R x d | sort
grep -r x dl | sort
grep -r x d/v d/l
grep -rc x d/v
grep -r --exclude-dir=.h x d/ | sort
grep -r --include=.e x .
grep --exclude=v x d/v d/.e
grep --include='*.c' x d/v; echo $?
