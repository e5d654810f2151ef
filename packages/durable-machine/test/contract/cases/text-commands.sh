#### cat
#@ files fruits.txt
#@ each
cat fruits.txt fruits.txt | wc -l
cat -n fruits.txt
printf 'a\n\n\nb\n' | cat -s
printf 'a\n\nb\n' | cat -b
printf 'a\tb\n' | cat -A
printf 'x\001\377' | cat -v
cat nope fruits.txt; echo $?
echo in | cat - fruits.txt | head -n 1
printf 'a\tb\n' | cat -T
echo e | cat -E

#### head
#@ files fruits.txt numbers.txt
#@ each
head -n 2 fruits.txt
head -2 fruits.txt
head -c 5 fruits.txt; echo
head -n -3 fruits.txt
head -n 1 fruits.txt numbers.txt
head -q -n 1 fruits.txt numbers.txt
head -v -n 1 fruits.txt
seq 20 | head | wc -l
head nope; echo $?
head -n x fruits.txt; echo $?
head -c -4 numbers.txt | tail -c 3
seq 5 | head -n 0

#### tail
#@ files fruits.txt numbers.txt
#@ each
tail -n 2 fruits.txt
tail -2 fruits.txt
tail -n +3 fruits.txt
tail -c 5 fruits.txt
tail -c +30 fruits.txt
tail -n 1 fruits.txt numbers.txt
seq 20 | tail | head -n 1
tail nope; echo $?
printf 'no newline' | tail -n 1; echo
tail -q -n 1 fruits.txt numbers.txt
seq 5 | tail -n 0
tail -n x fruits.txt; echo $?

#### tac and rev
#@ files fruits.txt
#@ each
tac fruits.txt
printf 'a\nb' | tac; echo
printf 'a,b,c' | tac -s ,; echo

#### rev
#@ needs rev
echo 'abc def' | rev; printf 'é1\nxy' | rev

#### sort
#@ files fruits.txt numbers.txt
#@ each
sort fruits.txt
sort -r fruits.txt
sort numbers.txt
sort -n numbers.txt
sort -nr numbers.txt
sort -u numbers.txt
sort -nu numbers.txt

#### sort by keys
#@ files table.csv
#@ each
sort -t, -k2,2n table.csv
sort -t, -k3 table.csv
sort -t, -k3,3 -k2,2nr table.csv
sort -t , -k 1.2,1.3 table.csv
printf 'b 2\na 10\nc 1\n' | sort -k2n
printf 'b 2\na 10\n' | sort -k2

#### sort flags
#@ each
printf 'B\na\nC\nb\n' | sort
printf 'B\na\nC\nb\n' | sort -f
printf '10K\n2M\n1G\n5\n' | sort -h
printf 'mar\njan\nfeb\n' | sort -M
printf 'v1.10\nv1.9\nv1.2\n' | sort -V
printf ' b\na\n  c\n' | sort -b
printf '1e3\n20\n3.5\n' | sort -g
printf 'a-b\nab\na c\n' | sort -d

#### sort checks, output, merges, stability
printf 'a\nb\n' | sort -c; echo $?; printf 'b\na\n' | sort -c; echo $?; printf 'b\na\n' > f; sort -o f f; cat f; printf 'c\n' > g; sort -m f g; printf 'x 1\ny 1\na 2\n' | sort -s -k2,2; printf 'b\0a\0' | sort -z | tr '\0' '\n'; sort nope; echo $?; printf '3\n1\n' | sort -R | wc -l

#### sort -u with keys and case
#@ each
printf 'a 1\nb 1\na 2\n' | sort -u -k1,1
printf 'A\na\nB\n' | sort -fu
printf '1\n01\n1.0\n' | sort -nu

#### sort of numbers with signs and fractions
printf -- '-5\n3.2\n-1.5\n0\n10\nabc\n3.15\n' | sort -n; printf '+3\n2\n' | sort -n

#### uniq
#@ before printf 'a\na\nb\na\n' > f
#@ each
uniq f
uniq -c f
uniq -d f
uniq -u f
printf 'A\na\nb\n' | uniq -i
printf 'x 1\ny 1\nz 2\n' | uniq -f 1
printf 'aab\nacb\n' | uniq -s 2
printf 'abx\naby\n' | uniq -w 2
uniq -c f out; cat out
printf 'a\na\n' | uniq -D
uniq nope; echo $?

#### cut
#@ files table.csv
#@ each
cut -d, -f1 table.csv
cut -d, -f2- table.csv
cut -d, -f1,3 table.csv
cut -c1-3 table.csv
cut -c -2 table.csv
cut -b 2 table.csv
printf 'a\tb\tc\n' | cut -f 2
printf 'nodelim\na,b\n' | cut -d, -f1 -s
cut -d, -f1,3 --output-delimiter=: table.csv
printf 'abc\n' | cut --complement -c2
cut; echo $?
cut -f; echo $?
cut -d, -f0 table.csv; echo $?

#### paste
seq 3 > a; seq 4 6 > b; paste a b; paste -d, a b; paste -s a; paste -sd+ a; paste -d '\n' a b; seq 6 | paste - - -; seq 2 | paste a -; paste -sd ',;' b; paste nope; echo $?; seq 5 > c; paste a c

#### tr
#@ each
echo 'Hello World' | tr a-z A-Z
echo 'hello' | tr -d l
echo 'aabbcc' | tr -s b
echo 'a b  c' | tr -s ' ' '\n'
echo 'abc123' | tr -d '[:digit:]'
echo 'abc' | tr abc xy
echo 'a1b2' | tr -cd '0-9\n'
echo 'hello' | tr '[:lower:]' '[:upper:]'
printf 'a\tb' | tr '\t' ,; echo
echo 'a-b_c' | tr -- '-_' '  '
echo abcd | tr -c 'a\n' x
printf 'x\0y' | tr '\0' '\n'; echo
echo aabb | tr -ds a b
tr; echo $?
echo a | tr a; echo $?
echo 'xyz' | tr x-z a-c
echo abc | tr '[a-c]' '[A-C]'
echo 'a  b' | tr -s '[:space:]'
echo ABC | tr '\101' z

#### nl
#@ each
printf 'a\n\nb\n' | nl
printf 'a\n\nb\n' | nl -ba
seq 2 | nl -w 3 -s ': '
seq 2 | nl -v 10 -i 5
seq 2 | nl -n rz
seq 2 | nl -n ln | cat -A

#### fold and fmt
#@ each
echo 'the quick brown fox' | fold -w 7
echo 'the quick brown fox' | fold -s -w 10
printf 'abcdef' | fold -w 2; echo

#### fmt
#@ needs fmt
printf 'one two three four five six\nseven eight\n\nnew par\n' | fmt -w 20

#### expand and unexpand
#@ each
printf 'a\tb\n\tc\n' | expand | cat -A
printf 'a\tb\n' | expand -t 4
printf '        a\n' | unexpand | cat -A
printf 'a       b\n' | unexpand -a | cat -A
printf '\ta\tb\n' | expand -i -t 2 | cat -A

#### join
printf '1 a\n2 b\n3 c\n' > x; printf '1 A\n3 C\n4 D\n' > y; join x y; join -a 1 x y; join -v 2 x y; join -a1 -a2 -e - -o 0,1.2,2.2 x y; printf 'k,1\n' > p; printf 'k,2\n' > q; join -t, p q; join -1 1 -2 1 x y | wc -l; join -o 1.2,2.2 x y

#### comm
#@ before printf 'a\nb\nc\n' > x; printf 'b\nc\nd\n' > y
#@ each
comm x y
comm -12 x y
comm -23 x y
comm -3 x y
comm -13 x y
comm x nope; echo $?

#### diff
printf 'a\nb\nc\n' > x; printf 'a\nB\nc\nd\n' > y; diff x y; echo $?; diff x x; echo $?; diff -q x y; diff -s x x; diff x nope; echo $?; printf 'a\nb\nc' > z; diff x z; diff -i x y; diff -w x y | wc -l; printf 'a \nb\nc\n' > w; diff -b x w; echo $?

#### unified diff
#@ before printf '1\n2\n3\n4\n5\n6\n7\n8\n9\n' > x; sed 's/5/five/;9d' x > y; touch -d @0 x y
#@ each
diff -u x y
diff -u --label old --label new x y
diff -U1 x y | tail -n +3
diff -c x y | head -n 5 | tail -n +3

#### diff of directories
mkdir a b; echo 1 > a/f; echo 2 > b/f; echo same > a/s; cp a/s b/s; touch a/only b/other; diff -r a b; echo $?; diff -rq a b; diff -rN a b; diff a b

#### diff of insertions and deletions
#@ before seq 5 > x; printf '0\n1\n2\n4\n5\n6\n' > y
#@ each
diff x y
diff y x
diff -y -W 20 x y
diff --brief x y
diff -u0 x y 2>/dev/null | tail -n +3

#### cmp
printf abc > x; printf abd > y; cmp x y; echo $?; cmp x x; echo $?; cmp -s x y; echo $?; cmp -l x y; printf ab > z; cmp x z; echo $?; cmp x nope; echo $?; printf 'a\nb\nc' > p; printf 'a\nb\nd' > q; cmp p q; echo abc | cmp - x

#### patch
#@ needs patch
printf 'a\nb\nc\n' > x; sed s/b/B/ x > y; diff -u x y > p; patch x < p; cat x; patch -R x < p; cat x; rm p

#### column
#@ needs column
printf 'a bb ccc\ndddd e f\n' | column -t; printf 'a,b\nccc,d\n' | column -t -s,

#### shuf
#@ needs shuf
#@ each
seq 5 | shuf | sort
shuf -i 1-3 | sort
shuf -n 1 -e a a
seq 5 | shuf -n 2 | wc -l

#### tsort
#@ needs tsort
printf 'a b\nb c\n' | tsort

#### strings
#@ needs strings
printf 'abcd\001\002efghij\000xy\n' | strings; printf 'abcd\001efghij\n' | strings -n 5

#### numfmt
#@ needs numfmt
#@ each
numfmt --to=iec 2048
numfmt --from=si 1K
echo 1500000 | numfmt --to=si
numfmt --to=iec-i --suffix=B 3145728

#### yes
yes | head -n 2; yes a b | head -n 1

#### word frequency
printf 'the cat the dog\na cat the end\n' | tr ' ' '\n' | sort | uniq -c | sort -k1,1nr -k2 | head -n 3

#### csv column sums
#@ files table.csv
cut -d, -f2 table.csv | paste -sd+ | tr -d '\n' | sed 's/.*/$((&))/' > e; eval "echo $(cat e)"; awk -F, '{s += $2} END {print s}' table.csv

#### lines without a final newline
#@ each
printf 'b\na' | sort
printf 'a\na' | uniq
printf 'x,y' | cut -d, -f2
printf 'a' | tr a b; echo
printf 'abc' | sed s/b/B/; echo
printf 'abc' | grep b
printf 'a b' | awk '{print $2}'
printf 'a' | nl
printf 'a' | paste - -

#### carriage returns stay
#@ each
printf 'a\r\nb\r\n' | sort | od -An -c
printf 'a\r\n' | tr -d '\r' | od -An -c
printf 'a\r\n' | grep -c 'a$'
printf 'x\r\ny\r\n' | wc -l

#### long lines
head -c 100000 /dev/zero | tr '\0' x > f; wc -c < f; cut -c1-5 f; echo; fold -w 50000 f | wc -l; sort f | wc -c; grep -c x f; sed 's/x/y/g' f | tr -d y | wc -c; awk '{print length($0)}' f

#### unknown options
#@ stderr any
#@ each
cat --nonsense; echo $?
head --nonsense; echo $?
sort --nonsense; echo $?
cut --nonsense; echo $?
wc --nonsense; echo $?
grep --nonsense; echo $?
tail --nonsense; echo $?
tr --nonsense; echo $?

#### GNU's words for an unknown option
#@ each
cat --nonsense
cat -Z
wc -Z
tail --nonsense
head -Z

#### a directory as input
#@ before mkdir d
#@ each
cat d; echo $?
head d; echo $?
wc d; echo $?
grep x d; echo $?
sort d; echo $?
tail d; echo $?
md5sum d; echo $?

#### join prints the field that it joins by
#@ before printf 'a 1\nb 2\nc 3\n' > f; printf 'x a\ny c\nz d\n' > g
#@ each
join -2 2 -o 0,1.2,2.1 f g
join -2 2 -o '0 2.1' -e - -a 2 f g
join -2 2 -o 0,2.1 -v 2 f g

#### join pairs sorted files
#@ before printf '1 a\n2 b\n2 bb\n4 c d\n' > x; printf '1 A\n2 B\n2 BB\n3 C\n5 D e\n' > y; printf 'k,,1\nl,2,x\n' > p; printf 'k,2,\nm,3,z\n' > q; printf 'b 1\na 2\nc 3\n' > u; printf 'id n\n1 x\n2 y\n' > h; printf 'id m\n2 q\n3 r\n' > g; printf '  1   a  \n\n' > bl
#@ each
join -a1 -a2 x y
join -a1 -a2 -e - -o 0,1.2,2.2 x y
join -a1 -a2 -e - -o auto x y
join -a 2 -o 0,2.2,1.2 x y
join -v1 -v2 x y
join -v1 x y
join -t, p q
join -t, -a1 -a2 p q
join -t, -a1 -a2 -e NULL -o auto p q
join -t, -e E p q
join -1 2 -2 2 x x
join -1 2 -2 1 x x
join u x
join u y
join x u
join --nocheck-order u x
join --check-order u u
join --header h g
join --header -a1 -a2 h g
join -i -a1 u y
join - y < x
join x
join
join a b c
join -a3 x y
join -o 3.1 x y
join -o 1.x x y
join -1 0 x y
join -t ab x y
join -t '' x x
join x missing
join -j 1 x y
join -j2 x y
join bl x
cut -d' ' -f1,2 x | join -o 2.2 - y
join -o '1.1 2.2' x y
join <(sort x) <(sort y)
