#### one line
#@ stderr any
#@ each
echo hi; echo err >&2
f(){ echo in $1; return 3; }; f a; echo $?; x=$(f b); echo "$x $?"
for i in 1 2 3; do echo $i; done | tac
printf 'a\nb\n' | while read l; do echo "<$l>"; done
false; echo $?; ! true; echo $?; true && false || echo or
set -e; false || true; echo a; false; echo b
{ echo a; echo b; } > f; cat f; { echo c; } >> f; wc -l < f
{ echo out; echo err >&2; } 2>&1 | sort
{ echo out; echo err >&2; } > a 2> b; cat b a
(echo sub; exit 3); echo $?
x=1; (x=2; echo $x); echo $x
ls /nope 2>/dev/null; echo $?
ls /nope > o 2>&1; cat o
if true; then echo y; else echo n; fi
case abc in a*) echo m;; *) echo no;; esac
i=0; while (( i < 3 )); do echo $((i++)); done
until [ -f x ]; do touch x; echo t; done
arr=(a "b c" d); for x in "${arr[@]}"; do echo "[$x]"; done; echo ${#arr[@]}
declare -A m; m[k]=v; m[z]="q r"; for k in k z; do echo "$k=${m[$k]}"; done
eval 'echo ev; x=5'; echo $x; eval "f() { echo F; }"; f
echo 'echo sourced $1; y=7; return 4' > lib; . ./lib arg; echo $? $y
set -- x y z; shift; echo $1 $#
echo x > /nope/f; echo $?
cat < /nope; echo $?
exec 3>out; echo a >&3; echo b >&3; exec 3>&-; cat out
exec 3>&1; x=$(echo cap; echo direct >&3); echo "x=$x"
f() { echo to-stdout; echo to-stderr >&2; }; f 2>/dev/null; f >/dev/null; f > o 2>&1; cat o; f 2>&1 >/dev/null | cat
g() { f; }; f() { echo deep; }; g | tr a-z A-Z; x=$(g); echo $x
echo a | cat | cat | tr a b
printf '\x00\x01\xff\xfe' > bin; cat bin; { cat bin; } ; f() { cat bin; }; f; f | cat; f > copy; cmp bin copy && echo same
head -c 1000 /dev/zero | gzip | gunzip | wc -c
bash -c 'echo nested $0 $1; exit 5' n1 n2; echo $?
echo 'echo script $# $1; exit 7' > s.sh; bash s.sh q; echo $?
printf '#!/bin/bash\necho x $1 $0\n' > s.sh; chmod +x s.sh; ./s.sh w; x=$(./s.sh v); echo "$x"; ./s.sh k > o; cat o; ./s.sh p | tr x X
echo 'echo hi from stdin; echo $1' | bash -s arg
trap 'echo bye $?' EXIT; f() { exit 4; }; f; echo no
set -e; trap 'echo trapped $? $v' EXIT; v=1; false; echo no
trap 'echo x' EXIT; trap - EXIT; echo done
trap 'echo x' EXIT; trap -p
trap 'echo x' EXIT; (echo sub; exit 2); echo $?
trap 'echo got; exit 9' TERM; kill -TERM $$; sleep 1; echo not
trap '' TERM; kill -TERM $$; echo alive
trap 'echo got' TERM; kill -TERM $$; echo after
sleep 0.1 & p=$!; wait $p; echo $?; (exit 3) & wait $!; echo $?
v=5; arr=(1 2 3); f() { echo f$v; }; { echo $v ${arr[1]}; f; } & wait
sleep 5 & kill $!; wait $!; echo $?
sleep 5 & kill %1; wait %1; echo $?
false & wait -n; echo $?
echo a & wait; echo b & wait; echo c
set -euo pipefail; cleanup() { echo clean "${t[@]}"; }; t=(a b); trap cleanup EXIT; echo work; grep x /dev/null; echo no
set -e; f() { echo in; false; echo no; }; trap 'echo T' EXIT; f
trap 'echo A; exit 7' EXIT; exit 2
trap 'echo $?' EXIT; true
trap 'echo outer' EXIT; bash -c 'trap "echo inner" EXIT; echo x'
while read a b; do echo "$b-$a"; done <<< $'1 2\n3 4'
while IFS=, read -r a b; do echo "$a:$b"; done < <(printf 'x,y\nz,w\n')
echo foo | tee a b >/dev/null; cat a b
f() { local x=1; echo $x; }; x=5; f; echo $x
f() { return 5; }; if f; then echo y; else echo n $?; fi
a=1; a=2 eval 'echo $a'; echo $a
for ((i=0;i<3;i++)); do [ $i = 1 ] && continue; echo $i; done
for i in 1 2 3; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; done
while :; do echo x; break; done > f; cat f; echo after
while :; do { echo y; break; } > g; done; cat g; echo end
f() { echo a; return; echo b; }; f > h; cat h; echo z
f() { for i in 1 2; do echo $i; done > loop; }; f; cat loop
{ echo 1; { echo 2; echo 3 >&2; } > in; echo 4; } > out 2>err; cat out; echo --; cat in; echo --; cat err
exec 2>&1; ls /nope >/dev/null; echo ok
exec 4>&1 >file; echo hidden; exec >&4 4>&-; echo shown; cat file
f() { echo "$FUNCNAME" "${FUNCNAME[@]}"; }; g() { f; }; g
echo ${BASH_SOURCE[0]} $LINENO
x=abc; echo ${x/b/X} ${x^^} ${#x} ${x:1} ${x: -1} ${y:-def}
eval 'x=abc; echo ${x: -1} "${x}y" ${x}y'
eval "if [[ abc =~ ^a(b|z)c$ ]]; then echo \${BASH_REMATCH[1]}; fi"
eval 'for i in 1 2; do echo $i; done | tac'
eval 'echo $?'; false; eval 'echo $?'; eval false; echo $?
false; . /dev/null; echo $?
n=0; eval "$((n++))" 2>/dev/null; eval : "$((n++))"; echo $n
set -- a "b c"; eval 'echo "$2" $#'; f() { eval 'echo $1'; return 3; }; f q; echo $?
echo 'for i in 1 2; do echo s$i; done; f() { echo func $1; }' > lib; source ./lib; f x; f y | cat; z=$(f w); echo $z
echo 'return 3' > r; . ./r; echo $?; echo 'exit 4' > e; . ./e; echo no
cmd=echo; $cmd hi; c="printf %s\n"; $c a b; "$cmd" x | cat; $(echo echo) hey
f() { echo fn; }; name=f; $name; x=$($name); echo $x; $name | tr f F
echo a; echo b >&2; (echo c; echo d >&2) 2>/dev/null
(cd /; pwd); pwd | grep -c tmp
true | false; echo "${PIPESTATUS[@]}"
f() { cat > out; }; echo data | f; cat out
echo hello | { read x; echo "got $x"; }
printf '1\n2\n3\n' | { read a; read b; echo $b $a; cat; }
printf '3\n1\n2\n' | sort | while read n; do echo n$n; done | head -2
x=$(echo a; echo b >&2) 2>e; echo "$x"; cat e
x=$(echo a 2>&1 >&2); echo "[$x]"
ls nofile 2>&1 | wc -l
echo x |& cat; ls nofile |& wc -l
if ! grep -q z <<< abc; then echo none; fi
! { false; }; echo $?
a=(); a+=(x); a+=("y z"); printf '%s|' "${a[@]}"; echo
mapfile -t L < <(printf 'a\nb\n'); echo ${#L[@]} ${L[1]}
shopt -s nullglob; echo *.zz; touch q.zz; echo *.zz
printf -v v '%03d' 7; echo $v; printf '%s %q\n' a 'b c'
printf '\x41\u00e9\n'; echo -e '\x41\xc3\xa9'; echo é | wc -c; printf '%5s|%-5s|\n' ab cd
getopts ab: o -a -b v; echo $o; OPTIND=1; while getopts ab: o -a -b v; do echo $o $OPTARG; done
readonly R=1; R=2; echo no
set -x; echo hi
echo $(( $(echo 2) + 3 )); f=5; echo $(( $(echo $f) * 2 ))
x=3; y=$(( x > 2 ? $(echo 10) : 20 )); echo $y
wait 99999; echo $?
echo $$ | grep -c '^[0-9]*$'; [ $$ = $BASHPID ] && echo same
exec echo replaced; echo no
(exec echo sub); echo yes
exec nosuchcmd; echo no
jobs; sleep 0.2 & jobs; wait; jobs
{ sleep 0.1; echo bg; } & echo fg; wait
(echo in-sub; exit 3) & wait $!; echo $?
f() { sleep 0.$1; echo "job $1 $v"; }; v=V; f 1 & f 3 & wait
x=$(sleep 0.1 & echo started); echo $x
for i in 1 2 3; do echo $i & wait; done
cd /; echo $PWD $OLDPWD | grep -c tmp; cd - >/dev/null; pwd | grep -c tmp
echo "a b" > "sp ace"; cat sp*; rm "sp ace"; ls | wc -l
true && { echo g; false; } || echo h
echo one; exit 5; echo two
bash -e -c 'false; echo no'; echo $?
sh -c 'echo $0 $1' a b; sh -c 'exit 9'; echo $?
X=1 env | grep -c BASH_; env | grep -c '^BASH'
cat nofile; echo $?; cat < nofile; echo $?; echo hi > /; echo $?
echo hi > dirx/f; mkdir dirx; echo hi > dirx; echo $?
seq 3 | xargs echo; seq 3 | xargs -n1 echo; printf 'a b\0c\0' | xargs -0 -n1 echo
export V=1; seq 2 | xargs -I{} sh -c 'echo {} $V'
timeout 0.2 sleep 5; echo $?; timeout 1 echo fine
kill -0 $$ && echo alive
f() { f2; }; f2() { echo ${#FUNCNAME[@]}; }; f
declare -i n=5; n+=3; echo $n; declare -r c=1; echo $c
echo {1..5} {a..c} {01..03}
echo ~ | grep -c /; echo "$HOME"
let x=5+3; echo $x; ((x++)); echo $x; echo $((x%4)) $((2**10))
[[ -f /etc/passwd || 1 -eq 1 ]] && echo y; [ a \< b ] && echo lt
echo "$(echo "nested $(echo deep)")"
echo `echo back`
set -o noclobber; echo a > nc; echo b > nc; echo $?; cat nc
test -t 0; echo $?; [ -t 1 ]; echo $?
read x; echo "[$x] $?"
echo abc | read x; echo "[$x]"
exec 3<<< "line"; read -u 3 y; echo $y
{ echo a; sleep 0.05; echo b; } | while read l; do echo "<$l>"; done
export -f f 2>/dev/null; unset -f f; f 2>/dev/null || echo gone
a=5 b=6; echo $a$b; c=$a d=$c; echo $d
echo "x" | cat - ; echo y | cat /dev/stdin
false || false; echo $?; true; echo $_ | head -c0
while true; do break; done; echo $?; for x in; do :; done; echo $?
trap 'echo int' INT; kill -INT $$; echo next
declare -A n; for w in a b a; do n[$w]=$((${n[$w]:-0} + 1)); ((n["$w"]++)); done; echo ${n[a]} ${n[b]}
set -e; f() { false; echo went on; }; f || echo no; ! { false; echo on; }; x=$(f); echo $x; f; echo never
for i in 1 2; do false || continue; done; echo $?; x=$(false) 2>/dev/null || echo failed
mkdir "a b" c; touch d; for x in */; do echo "$x"; done; echo nope*/

#### a here-document into a pipe
cat <<A | tr a-z A-Z
hello $HOME
A

#### a here-document in eval
eval 'cat <<Z
a $x b
Z'

#### a quoted here-document
cat <<'Q'
$no `expansion`
Q

#### a here-document without tabs
cat <<-T
	tabbed
	T

#### here-documents in a function
f() { cat <<X
in f $1
X
}; f a; f b | cat; y=$(f c); echo "$y"

#### positional parameters of a shell
#@ argv ["bash", "-c", "echo \"$0 $1 $2 $# $@\"", "bash", "A", "B C"]

#### input of functions
#@ argv ["bash", "-c", "f() { cat; }; echo piped | f; f <<< here; f <<EOF\ndoc $1\nEOF", "bash", "A", "B C"]

#### jobs that end one after another
#@ argv ["bash", "-c", "for i in 1 2 3; do (sleep 0.$i; echo $i) & done; wait; echo all", "bash", "A", "B C"]

#### words of parameters
#@ argv ["bash", "-c", "f() { echo $#; }; f \"$@\"; f $*; f \"$*\"", "bash", "A", "B C"]

#### fallthrough in case
#@ argv ["bash", "-c", "case \"$1\" in A) echo first;& B) echo second;; C) echo third;; esac", "bash", "A", "B C"]

#### arrays of the arguments
#@ argv ["bash", "-c", "f() { local a=(\"$@\") b=($(echo x y)); echo ${#a[@]} \"${a[1]}\" ${#b[@]}; }; f \"$@\"; for a; do echo \"<$a>\"; done", "bash", "A", "B C"]
