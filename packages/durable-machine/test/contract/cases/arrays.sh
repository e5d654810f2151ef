#### indexed arrays
a=(x 'y z' w); echo ${a[0]} "${a[1]}" ${a[-1]} ${#a[@]} ${#a[1]}; echo "${a[@]}" "${a[*]}"

#### words of an array
a=(x 'y z' ''); for w in "${a[@]}"; do echo "<$w>"; done; for w in ${a[@]}; do echo "{$w}"; done

#### appending
a=(1 2); a+=(3 4); a[7]=8; echo "${a[@]}" ${#a[@]} "${!a[@]}"

#### an array without an index is its first element
a=(x y); echo $a ${a} ${#a}; a=z; echo "${a[@]}"

#### slices of arrays
a=(a b c d e); echo ${a[@]:1:2} ${a[@]: -2} ${a[@]:3} "${a[@]:0:1}"

#### removing elements
a=(a b c); unset 'a[1]'; echo "${a[@]}" "${!a[@]}" ${#a[@]}; unset a; echo "${#a[@]}"

#### operations on all elements
a=(one.txt two.txt); echo ${a[@]%.txt} ${a[@]/o/0} ${a[@]^} ${a[@]#one}

#### joining
a=(a b c); IFS=,; echo "${a[*]}"; (IFS=-; echo "${a[*]}"); printf '%s\n' "${a[@]}"

#### arrays from a command
a=($(echo 'x y z')); echo ${#a[@]} ${a[2]}

#### arrays from a glob
#@ files fruits.txt numbers.txt
a=(*.txt); echo ${#a[@]} "${a[@]}"

#### arithmetic in an index
a=(a b c d); i=1; echo ${a[i]} ${a[i+1]} ${a[$i*3]} ${a[${#a[@]}-1]}; a[i+1]=X; echo ${a[@]}

#### explicit indexes
a=([3]=c [1]=a b); echo "${!a[@]}" "${a[@]}"

#### an empty array
a=(); echo "${#a[@]}" "[${a[@]}]" "${a[0]-unset}"; for x in "${a[@]}"; do echo never; done

#### associative arrays
declare -A m=([one]=1 [two]=2); m[three]=3; m['a b']='c d'; echo ${m[one]} ${m[three]} "${m[a b]}" ${#m[@]}; for k in one two three 'a b'; do echo "$k=${m[$k]}"; done

#### keys of an associative array
declare -A m=([x]=1 [y]=2 [z]=3); printf '%s\n' "${!m[@]}" | sort; printf '%s\n' "${m[@]}" | sort

#### is there such a key
declare -A m=([x]=); [[ -v m[x] ]] && echo yes; [[ -v m[y] ]] || echo no; echo "${m[x]+set}" "${m[y]+set}"

#### removing a key
declare -A m=([x]=1 [y]=2); unset 'm[x]'; echo ${#m[@]} ${!m[@]}

#### counting words
declare -A n; for w in a b a c a b; do n[$w]=$((${n[$w]:-0} + 1)); done; for w in a b c; do echo $w ${n[$w]}; done

#### increment of an element
declare -A n; a=(1 2); ((a[1]++)); ((a[0] += 5)); n[k]=1; ((n[k]++)); let 'n[k]*=4'; echo ${a[@]} ${n[k]}

#### declare -p
a=(x 'y z'); declare -A m=([k]=v); s='q"r'; declare -i n=4; declare -p a m s n

#### read only arrays
#@ stderr any
declare -ra a=(1 2); a[0]=3; echo $? ${a[@]}

#### mapfile
#@ files fruits.txt
mapfile -t a < fruits.txt; echo ${#a[@]} "${a[1]}"; readarray -t -n 2 b < fruits.txt; echo ${#b[@]}; mapfile c < fruits.txt; printf '%s' "${c[0]}"

#### mapfile from a here-string and a delimiter
mapfile -t -d , a <<< 'x,y,z'; echo ${#a[@]} "${a[0]}${a[1]}"

#### copy of an array
a=(1 '2 3' 4); b=("${a[@]}"); b[0]=x; echo "${a[0]} ${b[0]} ${#b[@]}"

#### an array given to a function
f() { local n=("$@"); echo ${#n[@]} "${n[1]}"; }; a=(1 '2 3'); f "${a[@]}"

#### a name reference
f() { local -n ref=$1; ref+=(z); echo ${#ref[@]}; }; a=(x y); f a; echo ${a[@]}

#### loop over indexes
a=(x y z); for i in "${!a[@]}"; do echo $i ${a[$i]}; done; for ((i = ${#a[@]} - 1; i >= 0; i--)); do printf %s ${a[i]}; done; echo

#### nested quotes in array elements
a=("it's" 'say "x"' $'tab\t.'); printf '<%s>\n' "${a[@]}"

#### PIPESTATUS
true | false | (exit 3); echo "${PIPESTATUS[@]}"

#### element wise quoting
a=('a b' "c'd"); echo "${a[@]@Q}"

#### a local array ends with its function
f() { local -a a=(1 2); local -A m=([k]=v); echo ${#a[@]} ${m[k]}; }; a=(x); f; echo ${a[@]} ${m[k]-none}

#### arithmetic with elements of an associative array
declare -A n; for w in a 'b c' a; do ((n["$w"]++)); n[all]=$((${n[all]:-0} + ${#w})); done; echo ${n[a]} ${n["b c"]} ${n[all]}; k=a; if (( ${n[$k]:-0} > ${n[none]:-1} )); then echo more; fi

#### a declaration of several arrays
touch one.txt two.txt
f() { local a=($(printf '1 2\n3')) b=("${@:2}") c=(*.txt) d=({1..3} ~) e=(); echo ${#a[@]} "${#b[@]}" "${b[0]}" "${c[@]}" ${#d[@]} ${#e[@]}; local -a s=("${b[@]:1}"); echo "${s[@]}"; }
f x 'y z' w v; echo ${a-none} ${s-none}

#### a declaration over several lines, and texts that look like one
f() {
  local x=1 a=(
    one
    "two
lines" 'it'"'"'s' q\"r
  ) y=2
  echo $x $y ${#a[@]} "${a[@]}"
}
f; cat <<'E'; echo 'local a=(1 2)'
local a=(
  "$x"
)
E

#### a local array of the name that it is filled from
args=(1 '2 3'); f() { local args=("${args[@]}" 4); echo ${#args[@]}; }; f; echo ${#args[@]}; declare -a copy=("${args[@]}"); export more=("${copy[@]}" x); echo "${copy[1]}" ${#more[@]}

#### flags of local
f() { local -i n=2+3; local -u up=abc; local -A m=([k]='v w'); echo $n $up "${m[k]}"; }; f; echo "[$n$up${m[k]}]"

#### the status of a declaration is its own
f() { local a=($(false)); echo $?; local -a b=($(exit 3)) || echo never; }; f; set -e; f; echo went on

#### expansions in indices
#@ before declare -A c=([a]=1 [a-x]=2); a=(x y z); w=A
#@ each
for x in The the THE cat; do c[${x,,}]=$((${c[${x,,}]:-0} + 1)); done; echo "${c[the]} ${c[cat]}"
echo "${c[${w,,}]}" ${c[${w}]-none} "${c[${w,,}-x]}" "${c["${w,,}"-x]}" "${#c[${w/A/a}]}" "${c[$(printf %s "${w,,}")]}"
echo "${a[${#w}]}" "${a[${c[a]}]}" "${a[${c[${w,,}]}]}" "${a[${#a[@]}-1]}" "${a[$((${#a[@]} - 1))]}"
for x in ${c[${w,,}]} "${c[${w,}]}"; do echo "$x"; done; case ${c[${w,,}]} in 1) echo one;; esac; [[ ${c[${w,,}]:-0} -eq 1 ]] && echo equal
(( c[${w,,}]++ )); (( c[${w,,}] += 2 )); echo "${c[a]}" $((${c[${w,,}]} * 2)) $((c[${w,,}] + 1)); (( a[${#a[@]} - 1] = 9 )); echo "${a[2]}"
f() { if [ "${c[${1,,}]:-no}" = 1 ]; then echo found; else echo none; fi; }; f A; f Z; echo "$(f A)" | cat > "f${c[${w,,}]}"; cat f1
cat <<< "${c[${w,,}]}"; v=${c[${w,,}]} bash -c 'echo "$v"'; (exit 3); echo "$? ${c[${w,,}]}"
while read -r x; do if [[ -z ${c[${x,,}]+x} ]]; then echo "$x"; c[${x,,}]=1; fi; done <<< $'Foo\nfoo\nBar\nA'
set -e; test "${c[${w,,}]}" = y || echo no; test "${c[${w,,}]}" = y; echo never

#### indices of several words
#@ each
declare -A m=([x y]=1 [z]=2 ["q r"]='3 4'); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort
declare -A m=(); m[x y]=1; m["c d"]=2; k='e f'; m[$k]=3; m+=([g h]=4); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort
f() { local -A m=([x y]=1 [$1 t]=2 ["$1 u v"]+=3); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort; }; f 'hi'
declare -A m; m=([x y]=1 [z z z]="$((1 + 1))" [w]=3 ); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort
f() { local -A m=([$1]=2); echo "${!m[@]}"; m=([$1]=2 ["$1 x"]=3); m["$1"]=4; m[$1 y]=5; m[${1}z]=6; echo "${m[hi]} ${m[hi y]} ${m[hiz]}"; }; f hi
k=a; declare -A m=([$k z]=1 [$k]=2 ["${k}x"]=3 [b]='' [c]="[d]=e"); echo "${m[a z]} ${m[a]} ${m[ax]} ${m[c]} ${#m[@]}"; i=2; a=([$i]=x [i+1]=y); echo "${!a[@]}" "${a[@]}"
