#### requests by status
#@ files access.log
awk '{print $9}' access.log | sort | uniq -c | sort -rn | awk '{printf "%s %d\n", $2, $1}'

#### bytes by client
#@ files access.log
awk '{b[$1] += $10} END {for (ip in b) printf "%-10s %6d %.1f KiB\n", ip, b[ip], b[ip] / 1024}' access.log | sort

#### requests by minute
#@ files access.log
sed -E 's/.*\[[^:]+:([0-9]{2}:[0-9]{2}):.*/\1/' access.log | uniq -c

#### failed paths
#@ files access.log
grep -E '" (4|5)[0-9]{2} ' access.log | grep -oE '"[A-Z]+ [^ ]+' | cut -c2- | sort -u

#### the slowest entries of a log
printf '2024-01-01 a 120ms\n2024-01-02 b 80ms\n2024-01-03 c 300ms\n' | sed 's/ms$//' | sort -k3,3nr | head -n 2 | while read -r day name ms; do echo "$day $name took $ms"; done

#### average and deviation
printf '%s\n' 10.5 20.25 30 | awk '{s += $1; q += $1 * $1} END {m = s / NR; print "n=" NR, "mean=" m, "sd=" sqrt(q / NR - m * m)}'

#### a csv by column name
#@ files table.csv
(echo name,age,city; cat table.csv) > t.csv; col=$(head -n 1 t.csv | tr , '\n' | grep -n '^city$' | cut -d: -f1); tail -n +2 t.csv | cut -d, -f"$col" | sort | uniq -c | sort -k1,1nr -k2

#### a csv to json
#@ files table.csv
#@ needs jq
jq -R -s -c 'split("\n") | map(select(. != "") | split(",") | {name: .[0], age: (.[1] | tonumber), city: .[2]})' table.csv

#### json to csv
#@ files people.json
#@ needs jq
jq -r '["name", "age"], (.[] | [.name, .age]) | @csv' people.json

#### a csv in columns
#@ files table.csv
column -s, -t table.csv; awk -F, -v OFS=' | ' '{$1 = $1; print}' table.csv

#### totals by group
#@ files table.csv
awk -F, 'NR > 0 {n[$3]++; t[$3] += $2} END {for (c in n) print c "," n[c] "," t[c] / n[c]}' table.csv | sort -t, -k3,3nr

#### a join of two files
printf '1 ann\n2 bob\n3 cy\n' > a; printf '1 red\n3 blue\n4 green\n' > b; join a b; join -v1 a b; join -a1 -e none -o 0,1.2,2.2 a b

#### lines in one file only
seq 1 5 > a; seq 3 7 > b; comm -12 a b | paste -sd, -; comm -23 a b | paste -sd, -; comm -13 a b | paste -sd' ' -

#### transposed lines
paste -d: <(seq 3) <(printf 'a\nb\nc\n') | tr '\n' ' '; echo; seq 6 | paste - - -; seq 4 | xargs -n2 echo pair

#### words by frequency
printf 'The cat and the dog. The END\n' | tr 'A-Z' 'a-z' | tr -cs 'a-z' '\n' | sort | uniq -c | sort -k1,1nr -k2 | awk '{print $2 "=" $1}'

#### words counted in an array
declare -A n; for w in a b a c b a; do n[$w]=$((${n[$w]:-0} + 1)); done; for w in "${!n[@]}"; do echo "$w ${n[$w]}"; done | sort

#### settings from a file
printf '# comment\nhost = example.com\nport=8080\n\nname = "x y"\n' > c.ini; while IFS='=' read -r key value; do key=${key//[[:space:]]/}; [[ -z $key || $key == \#* ]] && continue; value=${value# }; value=${value%\"}; value=${value#\"}; echo "[$key]=[$value]"; done < c.ini

#### a template
name=Ann total=3.5; cat <<END
Dear ${name^^},
you owe \$${total} as of $(date -u -d @0 +%F).
	${missing:-nothing else}
END
cat <<'END'
$name `raw`
END
cat <<-END
	tab
	END

#### options of a script
f() { local OPTIND o v=0 out=-; while getopts ':vo:h' o; do case $o in v) ((v++)) || true;; o) out=$OPTARG;; :) echo "missing $OPTARG"; return 2;; \?) echo "bad $OPTARG"; return 2;; esac; done; shift $((OPTIND - 1)); echo "v=$v out=$out rest=$*"; }; f -vv -o file a b; f -x; f -o; f

#### retries
n=0; try() { n=$((n + 1)); ((n >= 3)); }; until try; do echo "attempt $n failed"; done; echo "ok after $n"

#### cleaning up
d=$(mktemp -d); trap 'rm -rf "$d"; echo cleaned' EXIT; echo data > "$d/f"; cat "$d/f"; exit 3

#### errors end a script
set -euo pipefail; f() { false; }; if f; then echo no; else echo handled; fi; x=$(echo a | tr a b); echo "$x"; false | true; echo never

#### parts of a path
p=/var/log/app/server.tar.gz; echo "${p##*/} ${p%/*} ${p##*.} ${p%%.*} ${p/log/LOG} ${p//\//:} ${#p} ${p:5:3} ${p: -2}"; basename "$p" .gz; dirname "$p"

#### lower and upper case
s='Hello World'; echo "${s,,} ${s^^} ${s,} ${s~~}" 2>/dev/null | cut -c1-23; echo "${s// /_}" "${s/#Hello/Bye}" "${s/%World/All}"

#### arrays
a=(5 3 9 1); echo "${a[@]:1:2} ${#a[@]} ${a[-1]}"; a+=(7); unset 'a[1]'; echo "${!a[*]}"; IFS=,; echo "${a[*]}"; unset IFS; mapfile -t s < <(printf '%s\n' "${a[@]}" | sort -n); echo "${s[@]}"

#### a stack and a queue
s=(); for x in 1 2 3; do s+=($x); done; while ((${#s[@]})); do echo -n "${s[-1]} "; unset 's[-1]'; done; q=(a b c); while ((${#q[@]})); do echo -n "${q[0]} "; q=("${q[@]:1}"); done; echo

#### prime numbers
for ((i = 2; i < 30; i++)); do for ((j = 2; j * j <= i; j++)); do ((i % j)) || continue 2; done; printf '%d ' $i; done; echo

#### recursion
fact() { if (($1 < 2)); then echo 1; else echo $(($1 * $(fact $(($1 - 1))))); fi; }; fact 10; fib() { (($1 < 2)) && { echo $1; return; }; echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); }; fib 8

#### numbers of other bases
echo $((0xff)) $((2#1010)) $((017)) $((1 << 10)) $((~5 & 0xf)); printf '%x %o %X %#x\n' 255 8 255 16; printf '%d\n' 0x1f "'A"; printf '%05.2f|%+d|%-5s|%5s|\n' 3.14159 5 ab cd

#### renamed files
touch 'a b.txt' c.txt d.md; for f in *.txt; do mv -- "$f" "${f%.txt}.bak"; done; ls; find . -name '*.bak' -print0 | sort -z | xargs -0 -n1 echo got

#### a tree of files
#@ files project
find . -type f | sort; find . -type f -name '*.js' -size +0 | sort; find . -type d -empty; find src -maxdepth 1 -type f -exec basename {} \; | sort

#### the largest files
for n in 10 300 20; do head -c $n /dev/zero > f$n; done; find . -type f -printf '%s %f\n' | sort -rn | head -n 2; du -b f300 | cut -f1; stat -c '%s %n' f* | sort -n

#### text replaced in many files
#@ files project
grep -rl TODO . | sort | xargs sed -i 's/TODO/DONE/'; grep -rn DONE . | sort; grep -rc DONE . | sort

#### duplicates by checksum
echo same > a; echo same > b; echo other > c; sha256sum a b c | sort | awk '{if ($1 == last) print $2; last = $1}'; md5sum a b > sums; md5sum -c sums

#### an archive
#@ files project
tar czf p.tgz src docs; mkdir out; tar xzf p.tgz -C out; diff -r src out/src && echo same; tar tzf p.tgz | sort | head -n 3; gzip -k README.md; zcat README.md.gz | head -n 1; rm p.tgz README.md.gz

#### a patch between versions
printf 'a\nb\nc\n' > 1; printf 'a\nB\nc\nd\n' > 2; diff 1 2; diff -u 1 2 | tail -n +3; cmp 1 2; echo $?

#### base64 and sums
printf 'hello world' | base64; echo aGVsbG8= | base64 -d; echo; printf hello | sha256sum | cut -c1-16; head -c 100 /dev/zero | base64 -w 20 | head -n 2; printf 'a\0b' | od -c | head -n 1

#### tee and streams
{ echo out; echo err >&2; } 2> err.log | tee copy | sed 's/^/> /'; cat err.log copy; echo x | tee -a copy > /dev/null; wc -l < copy

#### dates
date -u -d @86400 '+%Y-%m-%d %H:%M:%S %a %b'; date -u -d '2024-02-28 + 2 days' +%F; s=$(date -u -d '2024-03-01' +%s); e=$(date -u -d '2024-01-01' +%s); echo $(((s - e) / 86400)) days

#### sections of a file
printf 'a\nBEGIN\nb\nc\nEND\nd\n' > f; sed -n '/BEGIN/,/END/p' f | sed '1d;$d'; awk '/BEGIN/ {on = 1; next} /END/ {on = 0} on' f; sed '/^$/d; s/^/# /; 2q' f; grep -A1 -B1 BEGIN f

#### columns of ps
printf 'PID CMD MEM\n1 init 10\n22 bash 250\n333 node 9000\n' | awk 'NR > 1 {t += $3; if ($3 > m) {m = $3; c = $2}} END {print t, c, m; printf "%.1f%%\n", 100 * m / t}'

#### nested json
#@ needs jq
jq -c '.a.b[] | select(.x > 1) | {x, y: (.y // "none")}' <<< '{"a":{"b":[{"x":1},{"x":2,"y":"z"},{"x":3}]}}'; jq -c 'to_entries | map("\(.key)=\(.value | length)") | join(" ")' <<< '{"a":[1,2],"b":"xyz"}'

#### json merged and changed
#@ needs jq
jq -s -c '.[0] * .[1] | .list += [3] | del(.old) | .n |= . + 1' <<< '{"a":{"x":1},"old":1,"n":1,"list":[1]} {"a":{"y":2}}'; jq -n -c --arg v "a b" '{v: $v, parts: ($v | split(" "))}'

#### json grouped
#@ files people.json
#@ needs jq
jq -c 'group_by(.age > 33) | map({n: length, names: map(.name)})' people.json; jq 'map(.age) | add / length' people.json; jq -r 'sort_by(-.age)[] | "\(.name)\t\(.age)"' people.json

#### a loop over json
#@ files people.json
#@ needs jq
jq -r '.[] | @base64' people.json | while read -r row; do get() { echo "$row" | base64 -d | jq -r "$1"; }; echo "$(get .name) is $(get .age)"; done

#### a menu of cases
for x in start STOP re-load 42 '' a.txt; do case ${x,,} in start|begin) echo go;; st*) echo halt;; *-*) echo dash;; [0-9]*) echo number;; '') echo empty;; *.txt) echo text;; *) echo other;; esac; done

#### patterns
for s in 2024-05-06 nope 1.2.3 a@b.c; do if [[ $s =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]]; then echo "date ${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"; elif [[ $s == *@*.* ]]; then echo mail; elif [[ $s =~ ^[0-9]+(\.[0-9]+)*$ ]]; then echo version; else echo none; fi; done

#### parallel jobs
for i in 3 1 2; do (sleep 0.0$i; echo "job $i" > "j$i") & done; wait; cat j1 j2 j3; false & wait $!; echo $?

#### lines numbered and folded
printf 'one two three four five\nsix\n' | fold -s -w 10; printf 'b\na\n' | cat -n; nl <<< 'x'; printf 'a\tb\n' | expand -t 4; rev <<< abc; tac <(seq 3)

#### a matrix
for i in 1 2 3; do for j in 1 2 3; do printf '%3d' $((i * j)); done; echo; done | awk '{for (i = 1; i <= NF; i++) s[i] += $i} END {for (i = 1; i <= NF; i++) printf "%d%s", s[i], i < NF ? " " : "\n"}'

#### a histogram
printf '%s\n' 1 5 7 12 18 25 | awk '{b[int($1 / 10)]++} END {for (i = 0; i < 3; i++) {s = ""; for (j = 0; j < b[i]; j++) s = s "*"; printf "%2d-%2d %s\n", i * 10, i * 10 + 9, s}}'

#### xargs
seq 5 | xargs -I{} echo 'n={}'; printf 'a b\nc\n' | xargs; echo 1 2 3 | xargs -n1 | paste -sd+ | xargs -I{} bash -c 'echo $(({}))'; seq 3 | xargs -P2 -n1 echo | sort

#### quoting of arguments
f() { printf '<%s>' "$@"; echo; }; set -- 'a b' "c'd" '' '*'; f "$@"; f "$*"; f $1; x='a  b'; f $x "$x"; printf '%q\n' 'a b'; eval "set -- $(printf '%q ' "$@")"; f "$@"

#### a url taken apart
u='https://user@example.com:8443/a/b?x=1&y=two#top'; rest=${u#*://}; host=${rest%%/*}; host=${host#*@}; path=/${rest#*/}; query=${path#*\?}; query=${query%%#*}; echo "${u%%:*} ${host%:*} ${host#*:} ${path%%\?*}"; IFS='&' read -ra q <<< "$query"; for kv in "${q[@]}"; do echo "${kv%%=*} -> ${kv#*=}"; done

#### characters
s='héllo'; echo ${#s} "${s:1:1}"; echo 'ÀÉ' | tr -d '\n' | wc -c; printf '%s\n' é a z | LC_ALL=C sort | tr '\n' ' '; echo abc | sed 's/./&-/g; s/-$//'; for ((i = 0; i < ${#s}; i++)); do echo -n "${s:i:1}."; done; echo

#### a state file
inc() { local n=0; [[ -f state ]] && read -r n < state; echo $((n + 1)) > state; }; inc; inc; inc; cat state; flock_free() { mkdir lock 2>/dev/null; }; flock_free && echo got; flock_free || echo busy; rmdir lock

#### functions with results
max() { local m=$1 x; for x; do ((x > m)) && m=$x; done; printf -v "$RESULT" '%s' "$m"; }; RESULT=best max 3 9 4; echo "$best"; declare -i k=5; k+=3; echo $k; readonly c=1; (c=2) 2>/dev/null || echo fixed

#### a report
#@ files table.csv
{ printf '%-8s %5s %s\n' NAME AGE CITY; while IFS=, read -r n a c; do printf '%-8s %5d %s\n' "$n" "$a" "${c^}"; done < table.csv; } | tee report | head -n 3; wc -lw < report

#### sorted versions and keys
printf '1.10\n1.9\n1.2.1\n' | sort -V; printf 'b 2\na 10\nc 1\n' | sort -k2n; printf 'x:3\ny:1\n' | sort -t: -k2 -r; printf '3\n1\n3\n' | sort -un; printf 'b\nA\na\n' | sort -f

#### a shuffled deck
seq 10 | shuf | sort -n | paste -sd' '; echo {a..c}{1..2} {01..03} {5..1..2}; printf '%s\n' {x,y}.txt
