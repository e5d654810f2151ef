#### fields
#@ files table.csv
#@ each
awk -F, '{print $1, $3}' table.csv
echo 'a b  c' | awk '{print $2, NF, $NF, $(NF-1)}'
echo 'a:b' | awk -F: '{print $2}'
printf 'a\tb c\n' | awk -F'\t' '{print $2}'
echo 'a1b22c' | awk -F'[0-9]+' '{print $1 $2 $3}'
echo '  a  b ' | awk '{print $1 "|" $2 "|" NF}'
echo a.b.c | awk -F. '{print $3}'
echo 'a||b' | awk -F'|' '{print NF}'

#### patterns
#@ files fruits.txt
#@ each
awk '/an/' fruits.txt
awk 'NR==2' fruits.txt
awk 'NR>=2 && NR<=3' fruits.txt
awk '!/an/' fruits.txt
awk '/apple/,/cherry/' fruits.txt
awk 'length($0) > 5' fruits.txt
awk '$1 ~ /^b/' fruits.txt
awk '$1 !~ /a/ {print "no a:", $1}' fruits.txt
awk 1 fruits.txt | wc -l
awk 'END {print NR}' fruits.txt
awk '/a/ && /e/ || /fig/' fruits.txt

#### BEGIN and END
#@ each
seq 5 | awk 'BEGIN {print "start"} {s += $1} END {print s, s/NR, NR}'
awk 'BEGIN {print 1+2}'
awk 'BEGIN {print "no input"; exit 3} END {print "end"}'; echo $?
echo x | awk 'END {print $0}'

#### printf
awk 'BEGIN {printf "%d %5d|%-5s|%05.1f %x %o %c %c %e %s%%\n", 3.9, 42, "ab", 3.14159, 255, 8, 65, "xyz", 12345.678, "p"}'; awk 'BEGIN {printf "%s\n", 0.1+0.2; printf "%.3f %i\n", 2/3, "12abc"; printf "%5.2s|%*d\n", "abc", 4, 7}'

#### arrays
#@ each
printf 'a 1\nb 2\na 3\n' | awk '{s[$1] += $2} END {for (k in s) print k, s[k]}' | sort
awk 'BEGIN {a["x"]; if ("x" in a) print "in"; if (!("y" in a)) print "not in"; delete a["x"]; print length(a)}'
awk 'BEGIN {a[1,2] = 3; for (k in a) {split(k, p, SUBSEP); print p[1], p[2]}; if ((1,2) in a) print "pair"}'
printf 'b\na\nb\n' | awk '!seen[$0]++'

#### strings
#@ each
awk 'BEGIN {s = "hello world"; print length(s), substr(s, 1, 5), substr(s, 7), index(s, "wor"), toupper(s), tolower("ABC")}'
awk 'BEGIN {s = "aaa"; n = gsub(/a/, "b", s); print n, s; t = "abc"; sub(/b/, "[&]", t); print t; u = "x.y"; gsub(/\./, "-", u); print u; gsub("x", "\\\\&", u); print u}'
awk 'BEGIN {n = split("a,b,c", p, ","); print n, p[1], p[3]; print match("foobar", /o+/), RSTART, RLENGTH; print substr("hello", 0, 2) "|" substr("hello", -1) "|" substr("hello", 2, 100)}'
awk 'BEGIN {print "a" "b" 1 + 2, "x" > "/dev/stdout"}'

#### splitting
#@ each
awk 'BEGIN {print split("", w), split("", w, ","), split("", w, /,/), split(x, w), split("   ", w), length(w)}'
awk 'BEGIN {w[5] = 1; n = split("", w); print n, (5 in w), (1 in w)}'
echo '  a  b ' | awk '{n = split($0, w); print n, w[1] "|" w[2] "|"; n = split($0, w, " "); print n, w[1]; n = split($0, w, / /); print n}'
printf '\na,b,,c,\n' | awk '{n = split($0, w, ","); print n, w[3], w[5] "|"}'
echo 'k:a,b c' | awk -F: '{n = split($2, p, ","); print n, p[1]; n = split($0, r); print n, r[2]; print split(substr($0, 1, 3), z, ":"), z[2]}'
echo 'a,b c' | awk 'BEGIN {FS = ","} {n = split($0, a); print n, a[2]; FS = " "; print split($0, a)}'
awk 'function f (s,  p) {return split(s, p, ",")} BEGIN {if (f("") == 0) print f("a"), f("a,b"); print split(split("1 2 3", x), y), y[1]}'
echo 'a/b/c' | awk '{n = split($0, p, "/"); print n, p[n]; if (/a\/b/) print n / 3 / 1; print "split("}'
awk 'BEGIN {n = split("b a c", w); for (i = 1; i <= n; i++) s = s (i > 1 ? "," : "") w[i]; print s; print (n) (n), length (s)}'

#### the length of arrays
#@ each
awk 'BEGIN {n = split("a b c", w); d["x"] = 1; print length(w), length (w), length(d), length(w[1]), length("ab"); delete d["x"]; print length(d)}'
printf 'a\nb\na\n' | awk '{seen[$1]++; x = $0} END {print length(seen), length(x), length}'
printf 'abc\n\nde f\n' | awk '{print length, length; n += length} length > 3 {print "long"} END {print n}'

#### numbers
#@ each
awk 'BEGIN {print 1/3, 10 % 3, 2^10, -7 % 3, int(3.9), int(-3.9), 1e6, 1e300*10, 100000 * 100000, 0.1 + 0.2, 1e-5, 123456789012}'
awk 'BEGIN {print sqrt(16), exp(0), log(1), sin(0), cos(0), atan2(0, -1); print 017 + 0, "0x11" + 0, "3abc" + 1, "abc" + 1, -"-3", +"  5 "}'
awk 'BEGIN {OFMT="%.2f"; print 3.14159, 3.14159 ""; CONVFMT="%.1f"; x = 2.55 ""; print x}'

#### comparisons
#@ each
awk 'BEGIN {print (1 < 2), ("a" < "b"), (10 < 9), ("10" < "9"), ("abc" == "abc")}'
echo '10 9' | awk '{print ($1 < $2), ($1 > $2), ($1 == 10), ($1 == "10")}'
awk 'BEGIN {x; print (x == 0), (x == ""), !x, !!"a"}'
awk 'BEGIN {print 1 == 1.0, "1" == 1, "1.0" == 1}'

#### control
#@ each
awk 'BEGIN {for (i = 0; i < 5; i++) {if (i == 1) continue; if (i == 4) break; print i}; while (j < 2) print "w" j++; do print "d"; while (0); print (1 ? "yes" : "no")}'
seq 5 | awk '{if ($1 % 2) print $1, "odd"; else if ($1 == 4) print "four"; else print "even"}'
seq 5 | awk '$1 == 2 {next} {print} $1 == 4 {exit}'

#### functions
awk 'function f(n) {return n <= 1 ? 1 : n * f(n - 1)} BEGIN {print f(10)}'; awk 'function add(a, b,  c) {c = a + b; return c} function set(arr) {arr["k"] = "v"} BEGIN {print add(1, 2); set(x); print x["k"]}'

#### variables from outside
awk -v x=5 -v 'y=a b' 'BEGIN {print x + 1, y}'; echo a | awk '{print v, $0}' v=1; X=env awk 'BEGIN {print ENVIRON["X"]}'; awk 'BEGIN {print ARGC, ARGV[1], ARGV[2]}' a b; awk -v 's=a\tb' 'BEGIN {print s}'

#### separators
#@ each
echo 'a b c' | awk 'BEGIN {OFS="-"} {$1 = $1; print}'
echo 'a b c' | awk '{OFS=","; print $1, $3; $2 = "X"; print; print NF}'
printf 'a;b;c' | awk 'BEGIN {RS=";"} {print NR, $0}'
awk 'BEGIN {ORS="|"; print "a"; print "b"}'; echo
printf 'a b\nc\n\nd e\n' | awk 'BEGIN {RS=""} {print NR ": " $1 "-" NF}'
echo 'a,b' | awk 'BEGIN {FS=","} {print $2}'
echo abc | awk -F '' '{print NF}'

#### changing fields
#@ each
echo 'a b c' | awk '{$2 = ""; print}'
echo 'a b c' | awk '{$5 = "e"; print; print NF}'
echo 'a b c d' | awk '{NF = 2; print}'
echo 'a b' | awk '{$0 = "x y z"; print $3, NF}'
echo '1 2' | awk '{$1 += 10; $2++; print}'
echo 'a b c' | awk '{sub(/b/, "X"); print $2}'

#### several files
#@ before printf '1\n2\n' > a; printf '3\n4\n' > b
#@ each
awk '{print FILENAME, FNR, NR, $0}' a b
awk 'NR == FNR {m[$1] = 1; next} {print $1, ($1 in m)}' a b
awk 1 nope; echo $?
awk 'FNR == 1' a b

#### getline
seq 4 | awk '{getline x; print $0, x}'; echo data > f; awk 'BEGIN {while ((getline line < "f") > 0) print "got", line; close("f")}'; awk 'BEGIN {"echo cmd" | getline r; print r}'; seq 4 | awk 'NR == 1 {getline; print}'; awk 'BEGIN {print (getline l < "nope")}'

#### output to files and commands
#@ each
awk 'BEGIN {print "a" > "out"; print "b" > "out"; print "c" >> "out"}'; cat out
awk 'BEGIN {print "z\na" | "sort"; close("sort"); print "end"}'
awk 'BEGIN {print "err" > "/dev/stderr"}'
awk 'BEGIN {r = system("exit 3"); print r}'
awk '{print > $1 ".txt"}' <<< $'x 1\ny 2'; ls

#### regular expressions
#@ each
echo 'foo123bar' | awk '{match($0, /[0-9]+/); print substr($0, RSTART, RLENGTH)}'
awk 'BEGIN {r = "^a.c$"; print ("abc" ~ r), ("xabc" ~ r), "a.c" ~ /a\.c/}'
printf 'a+b\naab\n' | awk '/a\+b/'
echo 'ABC' | awk 'tolower($0) ~ /abc/'
echo 'x[1]' | awk '/\[1\]/'
echo a/b | awk '/a\/b/'
echo 'tab	x' | awk '/\t/'
echo 'ab12' | awk '/^[[:alpha:]]+[[:digit:]]+$/'
echo aXbX | awk '{gsub(/X$/, "!"); print}'

#### a program from a file, comments, semicolons, newlines
printf '# sum\n{ s += $1 } # add\nEND { print "sum", s }\n' > p.awk; seq 3 | awk -f p.awk; awk 'BEGIN { x = 1
y = 2; print x, y
if (x) {
  print "multi"
}
else print "never" }'; printf '#!/usr/bin/awk -f\nBEGIN { print "script" }\n' > s; chmod +x s; ./s

#### a report
#@ files table.csv
awk -F, 'BEGIN {printf "%-8s %4s\n", "name", "age"} {printf "%-8s %4d\n", $1, $2; t += $2; if ($2 > m) {m = $2; w = $1}} END {printf "mean %.2f, oldest %s\n", t / NR, w}' table.csv; awk -F, '{c[$3]++} END {for (k in c) print c[k], k}' table.csv | sort -k1,1nr -k2

#### exit codes
#@ each
awk 'BEGIN {exit 4}'; echo $?
echo a | awk '{exit} END {print "end runs"}'
awk 'BEGIN {exit 1; print "never"}'; echo $?

#### syntax errors
#@ stderr any
#@ each
awk '{print' <<< x; echo $?
awk; echo $?
awk 'BEGIN {getline < }'; echo $?

#### uninitialized values and concatenation
awk 'BEGIN {print x + 0, "[" x "]", length(x), -x; print 1 " " 2, 1 -1, 2 " " -1; print "a" > "/dev/null"; print 1, 2 > "/dev/stdout"}'

#### increments and assignments
awk 'BEGIN {x = 5; print x++, ++x, x--, --x; x += 2; x -= 1; x *= 3; x /= 2; x %= 5; x ^= 2; print x; a = b = 4; print a, b; $0 = "a b"; print $1; i = 1; print $i++; print i}'

#### random numbers and time
awk 'BEGIN {srand(1); a = rand(); srand(1); b = rand(); print (a == b), (a >= 0 && a < 1)}'

#### text of other alphabets
echo 'naïve café' | awk '{print $2, toupper("abc")}'; echo 'ä b' | awk '{print $2 $1}'

#### many lines
#@ each
seq 20000 | awk '{s += $1; if ($1 % 7 == 0) n++} END {print s, n}'
awk 'BEGIN {for (i = 0; i < 100000; i++) s += i; print s}'
seq 1000 | awk '{a[NR] = $1} END {for (i = NR; i > NR - 3; i--) print a[i]}'

#### numbers in formats
#@ each
awk 'BEGIN {printf "%g %g %g\n", 1e20, 1e-5, 123456789; printf "%d %d %i\n", -3.9, 3.9, "12abc"; printf "%e %E %.2e\n", 12345.678, 0.00012, 1}'
awk 'BEGIN {printf "%08.3f|%+.2f|%-12e|%12.2E|%g|%5.1f%%\n", 3.14159, 2, 1.5, -15000, 1e-300, 45.678; x = sprintf("%03d-%s", 7.9, 1/3); print x}'
awk 'BEGIN {printf "%G %g %g %g %g\n", 1e-10, 0, 100000, 1000000, 0.0001; printf "%.3g|%10.4g|%-10g|\n", 3.14159, 2.71828, 1.5; printf "%5d|%-5d|%05d|%u\n", 42, 42, 42, 3}'
awk 'BEGIN {printf "%*d|%-*s|%.*f\n", 6, 42.7, 5, "ab", 2, 3.14159; printf "%5.2f|%-8.3s|%c\n", "2.5x", "abcdef", "hello"; printf("%s %d\n", "a", 2.9); print int(-3.9), int("12abc"), -7 % 3}'

#### numbers in text
#@ each
printf '1\n2\n4\n' | awk '{s += $1} END {print "avg: " s/NR; print "x" s/NR "y", s/NR; a[s/NR] = 1; for (k in a) print k; v = s/NR; print v " " length(v)}'
printf 'a 1.1\nb 2.2\n' | awk '{$2 = $2 * 1.1; t += $2; print} END {print "total=" t; print t/3 > "out"; print half(1)} function half(x) {return x / 3 "%"}'
printf '3 4\n' | awk '{$3 = $1 / $2; $1 *= 1.1; $2 += 1; print; x = $1 > 3 ? $1 / 7 : "no"; print (x > 1 ? "big" : "small") " " x; print -x " " x^2, 2^0.5; print length(x), x ~ /^0/, index(x, "4"), $2 ^ 2}'
awk 'BEGIN {print 1e20, 1e5*10, 0.1+0.2, 123456789.5, 1/3; print 0.1 + 0.2 == 0.3; print(1, "b"); print (1, 2) in a; print 17/4 % 3, 3/2*2, log(10)}'
printf 'a,1.5\nb,2.25\na,3\n' | awk -F, '{t[$1] += $2; n[$1]++} END {for (k in t) print k ": " t[k] " avg " t[k]/n[k], t[k]/n[k]*1e7}' | sort

#### what awk refuses
#@ each
#@ stderr any
awk 'BEGIN {print nosuch(1)}'; echo $?
awk 'BEGIN {printf "%s %d\n"}'; echo $?

#### formats that are computed
#@ each
awk 'BEGIN {f="%5.2f\n"; x=3.14159; printf f, x; printf(f, 2); s = sprintf(f, 1.005); print s}'
awk 'BEGIN {f="%-5d|%05d|%x|%c|%e|%g|%u|%+.1f|%%|%i\n"; printf f, -3.7, 42, 255, 65, 12345.678, 0.0001, 7, 2.54, 9}'
echo 5 | awk -v fmt='%6.1f%%\n' '{printf fmt, $1 / 3}'
awk 'BEGIN {printf "%s " "%d\n", "a", 5.7; printf "%" "*d|%-*s|%.*f\n", 4, 7, 3, "a", 2, 1.239}'
awk 'BEGIN {w=5; printf "%" w "d|%-" w "s|%s\n", -4.7, "ab", 1 / 3; match("abc", /b/); printf "%" w ".1f\n", 2; print RSTART, RLENGTH}'
echo 'a b' | awk '{printf $1 "\n"; printf $0; printf "\n"; printf("%s\n", $2)}'

#### a computed format without enough values
#@ stderr any
awk 'BEGIN {f="%d %d\n"; f = f ""; printf f, 1}' > /dev/null; echo $?

#### errors that awk writes follow redirections
#@ each
awk 'BEGIN {print "e" > "/dev/stderr"}' 2>&1 | wc -c
x=$(awk 'BEGIN {print "e" > "/dev/stderr"}' 2>&1); echo "[$x]"
awk 'BEGIN {print "e" > "/dev/stderr"; print "o"}' 2> err; cat err
awk 'BEGIN {print "a"; print "b" > "/dev/stdout"; print "c"}' | cat

#### rounding to even
#@ each
awk 'BEGIN{printf "%.1f %.1f %.1f %.1f\n", 2.25, 2.35, 0.25, 0.35}'
awk 'BEGIN{printf "%.0f %.0f %.0f %.0f %.0f\n", 0.5, 1.5, 2.5, -0.5, -2.5}'
awk 'BEGIN{printf "%.2f %.2f %.2f %6.2f|%-8.1f|\n", 1.005, 0.125, 0.375, 2.675, 3.25}'
awk 'BEGIN{x = 123456.5; print x; print x ""; print 100000.5; print 0.1 + 0.2, 1234567.5}'
awk 'BEGIN{printf "%.2e %.3g %g\n", 12.25, 2.125, 1.5}'
awk 'BEGIN{printf "%.2e %.2e\n", 1.125, 1.375; printf "%.3g %.3g\n", 1.125, 1.375}'
awk '{s += $1} END {print s / 2; printf "%.1f\n", s / 4}' <<< '246913'
awk 'BEGIN{f = "%.1f\n"; g = f; printf g, 2.25; printf(g, 0.75)}'
awk 'BEGIN{OFMT="%.2f"; print 3.14159, 2.125; CONVFMT="%.3f"; x = 2.0625 ""; print x}'
awk 'BEGIN{printf "%+.1f % .1f %08.1f\n", 2.25, 2.25, 2.25}'
awk 'BEGIN{printf "%.1f %.1f\n", -2.25, -2.35; printf "%.15f\n", 0.1; printf "%.1f\n", 1e15 + 0.5}'
printf '%.1f %.1f %.0f %.0f %.2f\n' 2.25 0.35 0.5 2.5 1.005
printf '%.2e %.3g\n' 1.125 1.125
awk 'BEGIN{printf "%5.1f%%\n", 12.25; s = sprintf("%.1f", 0.25); print s}'
printf '%*.*f|%5.1f|%s\n' 8 1 2.25 0.25 x 7 2 0.125 0.75 y
printf -v v '%.1f' 2.25; echo $v
awk 'BEGIN{printf "%s %.1f %d %5.2f\n", "a", 4.45, 3.9, 0.5}'
awk 'BEGIN{printf "%.1f\n", "2.25"; printf "%.1f\n", "x"}'
awk 'BEGIN{for (i = -8; i < 9; i++) printf "%.1f %.2f %.0f ", i / 4, i / 8, i / 2; print ""}'
awk 'BEGIN{for (i = 0; i < 9; i++) {x = i * 1000 + 500; printf "%.0e %.1g %.2e ", x, x, x + 50}; print ""}'
awk -v OFMT=%.2f '{s += $1; print s / 3, s} END {print s * 1.5}' <<< '10'
awk 'BEGIN{OFMT="%d"; x = 3.7; print x, x ""; print 17, 1e6, 0.5}'
awk 'BEGIN{CONVFMT="%.2g"; a = 3.14159; b = a ""; print b, a; print (a " " a)}'
awk -v CONVFMT=%.3f 'BEGIN{x[0.12345] = 1; for (k in x) print k}'

#### comparisons with numbers, text and nothing
#@ each
awk '/x/ {n++} END {if (n == 0) print "none"; else print n}' <<< 'a'
awk 'END {if (n < 1) print "less"; if (n <= 0) print "le"; if (n != 0) print "bad"; if (n >= 0) print "ge"}' <<< 'a'
awk '{if (c[$1] == 0) print "new", $1; c[$1]++}' <<< $'a\nb\na'
awk 'BEGIN {if (x == "") print "empty"; if (x == 0) print "zero"}'
awk '{if ($5 == 0) print "missing is zero"; if ($5 == "") print "empty"; if ($1 == 1.0) print "num"}' <<< '1 2'
awk '{if ($1 == 10) print "ten"; if ($1 < 9) print "wrong"; if ($2 < $1) print "nine"}' <<< '10 9'
awk '{a = $1; b = $2; print (a < b)}' <<< '10 9'
awk 'function f(v, w) {return w == 0} BEGIN {print f(1)}'
awk '{print ($1 == "1.0"), ($1 == 1)}' <<< '1.0'
awk '{print > $1 ".txt"}' <<< $'x 1\ny 2'; cat x.txt y.txt
awk '{print $2 >> "out-" $1 ".txt"; close("out-" $1 ".txt")}' <<< $'x 1\ny 2'; cat out-*
awk '{print > ($1 ".t")} END {print "done" > "/dev/stderr"}' <<< $'x 1'; cat x.t
awk '{f = $1 ".csv"; print $2 > f; printf "%s\n", $2 > f}' <<< $'x 1'; cat x.csv
awk '!seen[$0]++' <<< $'a\nb\na'
awk 'seen[$1] == 1 {print "again", $1} {seen[$1]++}' <<< $'a\na'
awk 'BEGIN {while (i < 3) {print i + 0; i++}}'
awk '{s[$1] += $2} END {for (k in s) if (s[k] > 2) print k, s[k]}' <<< $'a 1\na 2\nb 1'
awk 'max == "" || $1 > max {max = $1} END {print max}' <<< $'3\n10\n9'
awk 'NR == 1 || $1 < min {min = $1} END {print min}' <<< $'30\n100\n9'
awk '$1 == "1.0" {print "text", $1} $1 == 1 {print "number", $1} $1 == "01" || $1 != "1" {print "other", $1}' <<< $'1\n1.0\n01'
awk '{print ($1 < "5"), ($1 >= "10"), ("10" < "9"), ($1 == "9" ? "nine" : "no")}' <<< $'9\n10'
awk -F, '$3 == "200" {n++} END {print n + 0, (n == "2")}' <<< $'a,b,200\na,b,404\nc,d,200'
awk '{if (min == 0 || $1 < min) min = $1; if ($1 == 0) z++} END {print min, z == 1}' <<< $'5\n3\n0\n8'
awk '{x = $1; if (x == 0) print "zero", x; if (x > -1) print "more"; if (y > -1) print "y"}' <<< $'0\nabc\n-3'
awk 'BEGIN {x = ""; if (x == 0) print "bad"; if (!(x == 0)) print "good"}'
awk '{print ($2 == 0), ($2 == "")}' FS=, <<< $'a,,b\nc,0,d'
awk 'BEGIN {n = split("a b", p); if (n == 2) print "two"; if (p[1] == 0) print "bad"; if (length(p) == 2) print "len"; while (i <= 2) i++; print i}'
awk 'BEGIN {while (n < 3 && m == 0) n++; print n; for (i = 0; i != 2; i++) print i; print k + 0}'
awk '{ if ($1 == "b" && c == 0) { c = 1 } else if (c == 1) print "after", $0 }' <<< $'a\nb\nc'
awk -F, '{v = $2; if (v == 0) print "zero"; else print "no"}' <<< $'a,,b\na,0,b'
awk -F, '{if (min == 0 || $1 < min) min = $1} END {print min}' <<< $'7,\n3,'
awk 'NR == FNR {a[$1] = $2; next} a[$1] == 0 {print "missing", $1}' <(printf 'x 1\n') <(printf 'x\ny\n')
awk 'BEGIN {i = 1; printf "%.*f %d\n", i++, 2.25, i}'
