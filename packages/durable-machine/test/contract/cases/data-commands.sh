#### base64
#@ each
printf 'hello' | base64
printf 'aGVsbG8=' | base64 -d; echo
head -c 100 /dev/zero | base64
head -c 100 /dev/zero | base64 -w 0; echo
printf '\377\000\200' | base64
printf '/wCA' | base64 -d | od -An -tx1
printf 'aGVs\nbG8=\n' | base64 -d; echo
printf 'a$b' | base64 -d; echo $?
printf 'a-GVs' | base64 -di; echo
base64 nope; echo $?
head -c 30 /dev/zero | base64 -w 10
head -c 3000000 /dev/zero | tr '\0' '\377' > f; base64 f | md5sum; base64 < f | base64 -d | cmp - f; base64 -w0 f > g; base64 -d g | cmp - f; rm f g
printf 'YW Jj\n' | base64 -d; echo $?; printf YWJ | base64 -d; echo $?; printf 'YW#Jj' | base64 -d; echo $?; printf 'YW#Jj' | base64 -d -i
printf 'YQ==YWI=YWJj\n\n' | base64 -d; echo $?; printf 'YQ=' | base64 -d; echo $?; printf 'ab=c' | base64 -d; echo $?; printf 'Y\nQ\n=\n=' | base64 -d
printf abc | base64 -w 3; printf abc | base64 -w 4; printf '' | base64; printf '' | base64 -w 0; base64 a b 2> /dev/null; echo $?; base64 . 2> /dev/null; echo $?

#### checksums
#@ before printf hello > f
#@ each
md5sum f
sha1sum f
sha256sum f
sha512sum f
md5sum < f
printf '' | md5sum
md5sum f f
md5sum nope; echo $?

#### checking checksums
printf a > a; printf b > b; md5sum a b > sums; md5sum -c sums; printf x > b; md5sum -c sums; echo $?; md5sum --status -c sums; echo $?; sha256sum a | sha256sum -c -; sha256sum --tag a; echo nonsense | md5sum -c; echo $?

#### cksum
#@ needs cksum sum b2sum
#@ before printf hello > f
#@ each
cksum f
cksum < f
sum f
b2sum f

#### od
#@ before printf 'hello\n\001' > f
#@ each
od f
od -c f
od -An -tx1 f
od -A x -t x1z f
od -An -tu1 f
od -An -tx2 f
od -An -td4 f
od -N 2 -j 1 -c f
od -b f
od -An -v -tx1 -w2 f
head -c 64 /dev/zero | od -tx1
od -An -to1 f
od -x f

#### xxd
#@ needs xxd
printf 'hello world, this is text\n' | xxd; printf hello | xxd -p; printf 68656c6c6f | xxd -r -p; echo; printf 'ab' | xxd -b; printf 'abcdef' | xxd -c 3; printf 'abcdef' | xxd -s 2 -l 2; printf 'abcdef' | xxd -g 1; printf 'abcd' > f; xxd f | xxd -r; echo; xxd -u -p <<< xyz; xxd -i f

#### hexdump
#@ needs hexdump
printf 'hello\n' | hexdump -C; printf 'hello\n' | hexdump

#### gzip
#@ files fruits.txt
cp fruits.txt orig; gzip fruits.txt; ls; gunzip fruits.txt.gz; cmp fruits.txt orig && echo same; gzip -k fruits.txt; ls; zcat fruits.txt.gz | cmp - orig && echo same; gzip -c orig > o.gz; gzip -dc o.gz | md5sum; gzip -t o.gz; echo $?; gzip -9 -c orig | gunzip | cmp - orig; cat orig | gzip | gzip -d | wc -l; rm -f fruits.txt; gzip -d fruits.txt.gz; ls; rm o.gz

#### gzip errors
#@ files fruits.txt
gzip nope; echo $?; gunzip fruits.txt; echo $?; echo junk > j.gz; gunzip j.gz; echo $?; gzip fruits.txt; touch fruits.txt; gunzip fruits.txt.gz < /dev/null; echo $?; gunzip -f fruits.txt.gz; wc -l < fruits.txt; zcat nope; echo $?

#### gzip of binary and of much
head -c 300000 /dev/zero | gzip | gunzip | wc -c; for i in {0..255}; do printf "\\x$(printf %02x $i)"; done | gzip | gunzip | md5sum; seq 50000 | gzip -1 | zcat | tail -n 1; printf 'a' | gzip > x.gz; printf 'b' | gzip >> x.gz; zcat x.gz; echo; rm x.gz

#### gzip -l and names
#@ files fruits.txt
gzip -k fruits.txt; gzip -l fruits.txt.gz | awk 'NR == 2 {print $2, $4}'; gzip -v -t fruits.txt.gz; gzip -S .z -k fruits.txt; ls; rm *z

#### tar
#@ files project
tar cf all.tar src docs; tar tf all.tar | sort; mkdir out; tar xf all.tar -C out; diff -r src out/src && echo same; tar -xf all.tar -C out src/a.js; tar tf all.tar src/lib | sort; tar xOf all.tar src/a.js; tar tf nope.tar; echo $?; rm all.tar

#### tar with gzip
#@ files project
tar czf all.tgz src; tar tzf all.tgz | sort; tar tf all.tgz | sort | head -n 1; mkdir out; tar -xzf all.tgz -C out --strip-components=1; find out | sort; gzip -dc all.tgz | tar t | wc -l; tar c src | gzip | tar xz -C out; ls out; tar -czvf v.tgz docs | sort; gzip -dc < all.tgz | tar t | wc -l; rm *.tgz

#### tar keeps modes, times and links
mkdir d; echo x > d/f; chmod 751 d/f; touch -d @1000 d/f; ln -s f d/l; ln d/f d/h; mkdir d/e; chmod 700 d/e; tar cf t.tar d; mkdir o; tar xf t.tar -C o; stat -c '%a %Y' o/d/f; readlink o/d/l; stat -c %h o/d/f; stat -c %a o/d/e; [ o/d/f -ef o/d/h ] && echo linked; rm t.tar

#### tar options
#@ files project
tar cf a.tar --exclude='*.md' src docs; tar tf a.tar | grep -c md; tar cf b.tar -C src a.js b.js; tar tf b.tar; tar rf b.tar README.md; tar tf b.tar; tar --list --file=b.tar; tar -cf - src | tar -tf - | wc -l; tar xvf b.tar -C docs | sort; ls docs; rm *.tar

#### the long listing of tar
#@ root
mkdir d; printf hello > d/f; ln -s f d/l; touch -h -d '2020-01-02 03:04:05' d/f d/l d; tar cf t.tar d/f d/l; tar tvf t.tar; rm t.tar

#### tar errors
#@ files fruits.txt
tar cf x.tar nope; echo $?; tar xf fruits.txt; echo $?; tar cf; echo $?; tar xf x.tar nofile; echo $?; tar; echo $?

#### tar reads what another wrote
#@ files archive.tgz
tar tzf archive.tgz; tar xzf archive.tgz; find pack | sort; cat pack/hello.txt; stat -c '%a %Y' pack/run.sh; readlink pack/link

#### zip
#@ needs zip unzip
#@ files project
zip -qr a.zip src docs; unzip -l a.zip | tail -n 1; mkdir o; unzip -q a.zip -d o; diff -r src o/src && echo same; rm a.zip

#### jq
#@ needs jq
#@ files people.json
#@ each
jq . people.json
jq '.[0].name' people.json
jq -r '.[].name' people.json
jq -c '.[]' people.json
jq 'length' people.json
jq '[.[] | select(.age > 30) | .name]' people.json
jq 'map(.age) | add' people.json
jq -r '.[] | "\(.name): \(.age)"' people.json
jq -r '.[] | [.name, .age] | @csv' people.json
jq 'sort_by(.age) | .[0].name' people.json
jq '.[0] | keys' people.json
jq -r '.[].tags[]?' people.json

#### jq building and arguments
#@ needs jq
#@ each
jq -n '{a: 1, b: [1,2]}'
jq -n --arg x 'a b' '{x: $x}'
jq -n --argjson n 5 '$n + 1'
echo '{"a":{"b":1}}' | jq '.a.b'
echo '{"a":1}' | jq '.b'
echo '{"a":1}' | jq -e '.b'; echo $?
echo '[3,1,2]' | jq -c 'sort, reverse, min, max, (map(. * 2))'
echo '{"a":1,"b":2}' | jq -c 'to_entries, with_entries(.value += 1), del(.a)'
echo '"a,b"' | jq -c 'split(",")'
echo '{"b":1,"a":2}' | jq -S -c .
printf '1\n2\n' | jq -s -c .
echo '{"a":[1,{"b":null}]}' | jq -c 'paths'
echo null | jq '. // "default"'
jq -rn '"a\tb"'

#### jq sorting and grouping
#@ needs jq
#@ before echo '[{"n":"b","a":1},{"n":"B","a":2},{"n":"a","a":1}]' > f
#@ each
echo '[3,1,2,1]' | jq -c 'unique, sort, min, max, add, (map({x: .}) | min_by(.x), max_by(.x))'
echo '[{"x":2},{"x":1},{"x":2}]' | jq -c 'group_by(.x), unique_by(.x), (group_by(.x) | map({x: .[0].x, n: length}))'
jq -c 'sort_by(.n), sort_by(.a, .n), sort_by([.a, .n]), sort_by(-.a), group_by(.a), group_by(.n)' f
jq -c 'min_by(.n), max_by(.n), min_by(.a), max_by(.a), unique_by(.a), (map(.n) | sort, unique, min, max)' f
echo '["b","A","a","ä","Z",null,false,1,{"sort":[2,1]}]' | jq -c 'sort, unique, unique_by(type), .[8].sort, (.[8].sort | sort), (.[8] | {sort, min: 1} | .sort)'
jq -nc '[] | min, max, unique, sort, min_by(.x), group_by(.x), sort_by(.x)'
jq -nc '[range(4000) | {k: "\(. % 7)", v: .}] | group_by(.k) | map(length)'
echo '{"a":1,"b":2}' | jq -c 'add, ([.[]] | add)'; echo '{}' | jq 'sort' 2> /dev/null; echo $?

#### jq formats
#@ needs jq
#@ each
echo '["a","b\"c","d,e",1,null,true,1.5,"null","[x]"]' | jq -r '@csv, @tsv, @sh'
echo '["a\\b","t\tx","n\ny","r\rz",null,2,false]' | jq -r '@csv, @tsv, @sh'
echo '[1,"a",{"b":"<&>"}]' | jq -r '@json, @text, @html, @base64, (.[1] | @sh, @uri, @base64)'
echo '{"a":"x y","b":[1,"q"]}' | jq -r '"\(.a | @sh) \(.b | @csv)", @sh "run \(.a) \(.b)", @uri "http://x?q=\(.a)&r=\("a&b")", (.b | @tsv), "unique @csv \"sort\""'
for f in @csv @tsv; do echo '{"a":1}' | jq -r "$f" 2> /dev/null; echo $?; echo '[[1]]' | jq -r "$f" 2> /dev/null; echo $?; done
jq -nr 'range(1000) | [., "abc", "d\(.)"] | @csv' | md5sum; jq -j '.[]' <<< '["a",1]'

#### jq errors
#@ needs jq
#@ stderr any
#@ each
echo '{' | jq .; echo $?
echo '{}' | jq '.a.b.c'
echo '1' | jq '.a'; echo $?
jq '.[' <<< 1; echo $?
jq . nope; echo $?

#### date
#@ each
date -u -d @0
date -u -d @0 +%s
date -u -d @86399 '+%Y-%m-%d %H:%M:%S %j %u %a %b %A %B %p %I %y %e %%'
date -u -d '2024-02-29' +%F
date -u -d '2024-02-29 12:34:56' +%s
date -u -d '2024-01-31T10:00:00Z' +%c
date -u -d @1700000000 -Iseconds
date -u -d @1700000000 -R
date -u -d @1700000000 +%s.%N
date -u -d @5 '+%T %D %R'
date -u -d @1700000000 -I
date -u -d @1700000000 --rfc-3339=seconds

#### relative dates
#@ each
date -u -d '2024-01-31 +1 day' +%F
date -u -d '2024-03-01 -1 day' +%F
date -u -d '2024-01-15 + 2 weeks' +%F
date -u -d '2024-01-31 12:00 3 hours ago' +%FT%T
date -u -d '2024-05-05 1 month' +%F
date -u -d '1 Jan 2024' +%F
date -u -d 'Jan 5 2024 3pm' +%FT%H
date -u -d 20240102 +%F
date -u -d 'nonsense'; echo $?
date -u -d '2024-01-01 next month' +%F
date -u -d '2 weeks ago' +%F | grep -c '^20'
date -d '2024-02-29 12:34:56' --iso-8601=minutes
date -u -d @0 --rfc-3339=nonsense 2>/dev/null; echo $?
date -u -d 'yesterday' +%F > /dev/null; echo $?

#### date of a file and zones
touch -d @1000000 f; date -u -r f +%s; TZ=UTC date -d @0 +%Z%z; date +%s | grep -c '^[0-9]\{10\}$'; date -u +%Y | grep -c '^20'; date -d '2024-01-01 00:00 +0200' -u +%FT%T; date +%N | wc -c; date -u -d @0 '+%k|%l|%-d|%_d|%-m|%3N|%G-W%V|%C|%h|%n|%t|%U|%w|%s'

#### time of day in other zones
TZ=America/New_York date -d @1700000000 '+%F %T %Z'; TZ=Europe/Berlin date -d @1720000000 '+%F %T %z'; TZ=Asia/Tokyo date -d @0 +%T

#### cal
#@ needs cal
cal 2 2024 | sed 's/ *$//'

#### a log is evaluated
#@ files access.log
#@ each
awk '{print $1}' access.log | sort | uniq -c | sort -rn | awk '{print $1, $2}'
grep -c ' 404 ' access.log
cut -d'"' -f2 access.log | awk '{print $2}' | sort -u
awk '$9 >= 400 {print $9, $7}' access.log
sed -n 's/.*\[\([^]]*\)\].*/\1/p' access.log | head -n 1
grep -oE '"(GET|POST)' access.log | sort | uniq -c | awk '{print $1}' | paste -sd,
tail -n 1 access.log | wc -w

#### a report is made of a table
#@ files table.csv
{ echo '| name | age |'; echo '|---|---|'; while IFS=, read -r n a c; do printf '| %s | %s |\n' "$n" "$a"; done < table.csv; } > r.md; cat r.md; sort -t, -k2,2nr table.csv | head -n 1 | cut -d, -f1 | tr a-z A-Z

#### a small program of files
mkdir -p logs; for d in 01 02 03; do for h in a b; do echo "$d $h $((10#$d * 3))" > "logs/$d-$h.log"; done; done; for f in logs/*.log; do read -r d h n < "$f"; (( n > 3 )) && mv "$f" "${f%.log}.big"; done; ls logs; cat logs/*.big | awk '{s += $3} END {print s}'; find logs -name '*.log' | sort | xargs tar czf l.tgz; tar tzf l.tgz | wc -l; rm -r logs; ls; rm l.tgz

#### regular expressions, paths and changes of jq
#@ needs jq
#@ each
jq -c '[match("a(b)?"; "g")]' <<< '"abaca"'
jq -c '[match("a") | .offset, .string], [match("(?<x>b+)(c)"; "g")], [match(["B", "i"]).offset]' <<< '"xabbc"'
jq -c 'split(", *"; null), split(","), [splits(", *")]' <<< '"a, b,c"'
jq -c tostream <<< '{"a":[1,{"b":2}],"c":[]}'; jq -c 'fromstream(tostream)' <<< '{"a":[1,{"b":2}]}'; jq -c 'tostream' <<< '[[],{}] 3 []'
jq -c 'del(.a.b[0])' <<< '{"a":{"b":[1,2]}}'; jq -c 'del(.[0,2])' <<< '[1,2,3]'; jq -c 'del(.[-1])' <<< '[1,2,3]'; jq -c 'del(.[] | select(. > 1))' <<< '[1,2,3]'
jq -c 'del(.a, .b), del(.a.x), del(.c[]), del(.c[] | select(. > 1)), del(.["a"]), del(.c[1:]), del(.nope.x), del(.a?), delpaths([["a","x"],["c",0],["c",1]])' <<< '{"a":{"x":1},"b":2,"c":[1,2,3]}'
jq -c '[path(.a, .b)], [path(.c[])], [path(.c[]|select(.>1))], [path(..)], [paths], [path(.a[]?)], [path(first(.c[]))], [path(getpath(["a","x"]))]' <<< '{"a":{"x":1},"b":2,"c":[1,2,3]}'
jq -c 'capture("(?<y>\\d+)-(?<m>\\d+)"), gsub("(?<d>\\d)"; "<\(.d)>"), sub("b"; "x"), [scan("\\d")], test("A"; "i"), gsub("\\d";"$&"), [scan("(\\d)(\\d)")], gsub("^\\s+|\\s+$"; ""), gsub("B"; "\\"; "i"), ascii_downcase' <<< '"2024-05 b"'
jq -c 'capture("x(?<n>.)")' <<< '"a"'; jq -c '[.[] | select(test("^a"))]' <<< '["ab","b"]'
jq -c '(.[] | select(.id == 2) | .n) |= . * 10, (.[] | .n) += 1, .[0].n = 9, map(.n |= tostring), map(.m = .n + 1), (map(select(.id > 1)) | .[0].k = "x"), (.[1:] | length), map(del(.n)), (.. | numbers) |= -.' <<< '[{"id":1,"n":5},{"id":2,"n":6}]'
jq -c 'walk(if type == "number" then . + 1 else . end), walk(if type == "object" then del(.b) else . end)' <<< '[1,[2],{"a":3,"b":4}]'
jq -c 'with_entries(.value += 1), with_entries(select(.key != "a")), to_entries, map_values(. * 2), (to_entries | map("\(.key)=\(.value)") | join("&")), (keys), (if .a == 1 then .b = 2 else .b = 3 end), (.a as $x | .c = $x), ([.a, .b] | .[0] = 7)' <<< '{"a":1,"b":5}'
jq -c 'reduce .[] as $x ({}; .[$x.k] += $x.v), (reduce .[] as $x ({}; .[$x.k][$x.v | tostring] |= (. // 0) + 1)), (reduce .[] as $x (null; .n += $x.v)), [foreach .[] as $x (0; . + $x.v; [., $x.k])]' <<< '[{"k":"a","v":1},{"k":"b","v":2},{"k":"a","v":3}]'
jq -n '"\u00e9\u0041\"\\x\n\t\u0022"'; jq -n '"a\u0001b" | length'; jq -c '.a["b c"] = 1, ."x y" = 2, .["p"].q = 3' <<< '{"a":{}}'
jq -c 'def f(x): x * 2; def g: .a |= f(.); g, (.b = (.a | f(.))), (.a = if .a > 1 then "big" else "small" end), (.a |= if . > 1 then . else 0 end | .c = 1)' <<< '{"a":5}'
jq -r '.items[] | select(.price > 1) | "\(.name | ascii_upcase): \(.price * 100 | floor)"' <<< '{"items":[{"name":"a","price":1.5},{"name":"b","price":0.5}]}'
jq -c '.a |= sort | .b = (.a | map(. + 1)) | .c = [.a[] | select(. > 1)] | del(.a[0])' <<< '{"a":[3,1,2]}'
jq -c 'map(.tags |= join(",") | .n = (.tags | length))' <<< '[{"tags":["a","b"]}]'; jq -c '.users[0].name |= sub("^(?<f>.)"; .f | ascii_upcase)' <<< '{"users":[{"name":"bob"}]}'; jq '[.[] | gsub("\\s+"; " ") | split(" ")[0]]' -c <<< '["a  b","c d"]'
jq -n -c '{} | .a.b.c = 1 | .a.d[2] = 5 | .x += 1 | .y //= 3 | .a.b.c |= . + 1 | (.p, .q) = 7'

#### what jq refuses
#@ needs jq
#@ each
#@ stderr any
jq -c 'gsub("["; "x")' <<< '"a"' > /dev/null; echo $?
jq 'test("a")' <<< 1 > /dev/null; echo $?
jq -c 'def twice(f): .a | f * 2; twice(.b)' <<< '{"a":{"b":1},"b":5}'
jq -c '.a[1:] = [9]' <<< '{"a":[1,2]}'
jq -n '1 + 2 as $x | $x * 10'
jq -n 'true and false as $x | 1'

#### jq refuses to calculate with other values
#@ needs jq
#@ stderr any
#@ each
jq -n 'null - 1'
jq -n '"a" - 1'
jq -n '[1] * 2'
jq -n '{} / 1'
jq -n 'true % 2'
jq -n '{} + 1'
jq 'map(.a - 1)' <<< '[{"a":1},{}]'
jq '.x -= 1' <<< '{"x":"a"}'
jq '.a.b += 1' <<< '{"a":{"b":"c"}}'
jq -n 'try (null - 1) catch .'
jq -n 'try ("abcdefghijklmnop" * [1]) catch .'

#### jq calculates
#@ needs jq
#@ each
jq -nc '[null + null, null + 1, 1 + null, "a" * -1, 2 + 3 * 4 - 5 % 3, 10 - 3 - 2, 2 * 3 / 4, -1 + 2, 1E+2]'
jq -nc '[(1, 2) + (10, 20)], [1, 2, 3] - [2], {a: 1} + {b: 2}, {a: {c: 1}} * {a: {b: 2}}, "a,b" / ","'
jq -nc '[1, 2] | 5 + reduce .[] as $x (0; . + $x), (1 + if true then 2 else 3 end * 2)'
jq -n 'if 1 + 1 == 2 and 3 - 1 > 1 then "y" + "z" else 5 - "a" end'
jq -nc '[1 - 1 // 5, (1 + 2 | . * 2), "a\(1 + 2)b" + "c"]'
jq -n 'def f: 1 + 2; f * f'
jq -n 'reduce range(9000) as $i (0; . + $i)'
jq '(.a + .b) * 2 - (.a / .b) % 3' <<< '{"a":8,"b":2}'
jq -c '[(.[].a + .[].b)]' <<< '[{"a":1,"b":2},{"a":3,"b":5}]'

#### jq formats times
#@ needs jq
#@ each
jq -n '0 | strftime("%j")'
jq -n '1700000000 | strftime("%Y-%m-%dT%H:%M:%SZ %j %A %a %B %b %e %u %w %y %Z %s %F %T %D %R %%")'
jq -n '1709251199 | gmtime | strftime("%j %e|%u")'

#### jq binds values with as
#@ needs jq
#@ each
jq -nc '1 + (2 as $x | $x * 10)'
jq -nc '[1, 2 as $x | $x * 10]'
jq -nc '"a" as $x | "b" as $y | $x + $y'
jq -nc '[1 | . as $x | 2 + $x]'
jq -nc '1 + reduce range(3) as $i (0; . + $i) | . * 2'
jq -nc '[range(5)] | length as $n | add / $n'
jq -nc '{a: 1} | .a as $x | {b: ($x + 1)}'
jq -nc 'reduce (1, 2) as $x (0; . + $x * 2)'
jq -nc '10 - 2 - 3'
