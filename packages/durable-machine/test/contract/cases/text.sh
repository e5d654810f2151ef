#### options and errors
#@ needs xxd
#@ before printf 'one\ntwo\nthree\n' > f; echo 6109620a0a0a630180ff | xxd -r -p > odd; seq 1 30 > s; printf 'no newline' > n; : > e; mkdir d
#@ each
cat f n
cat
cat -n f n f
cat -b odd
cat -A odd
cat -s odd
cat -sn odd
cat -vE odd
cat -T odd
cat -e odd
cat -t odd
cat nope f
cat d
cat - < f
echo in | cat f - n
cat --zz
cat --number f
cat --show-a odd
cat --show f
cat -- f
cat e
cat /dev/null
head f
head -n 2 s
head -2 s
head -n-28 s
head -n -100 s
head -n 0 s
head -c 5 f
head -c -5 f
head -c 1K /dev/zero | wc -c
head -n 1 f s
head -q -n 1 f s
head -v -n 1 f
head -n 1 d nope f
head -n x f
head -c y f
head -n -1 n
head -n 5 n
echo hi | head
head -n 2 - < s
head --lines=1 f
head --bytes 2 f
head -1c f
head -n 1b s | wc -l
head -c 70000 /dev/zero | md5sum
seq 1 3 | head -n -1
printf "a\nb" | head -n -1
printf "a\nb" | head -c -1
head -c 1kB /dev/zero | wc -c
tail f
tail -n 2 s
tail -2 s
tail +29 s
tail -n +29 s
tail -n 0 s
tail -n +0 s | wc -l
tail -n +1 f
tail -n +100 s
tail -c 5 f
tail -c +5 f
tail -n 1 f s
tail -q -n 1 f s
tail -v -n 1 f
tail -n 1 d nope f
tail -n x f
tail -n 1 n
tail -n 5 n
seq 1 50 | tail -n 3
seq 1 50 | tail -n +48
printf "a\nb" | tail -n 1
printf "a\nb" | tail -c 2
tail -n 2 - < s
tail --lines=1 f
tail -n 100 s | wc -l
tail -1 e
tail -c 100 f
tail -n 3 odd
tail -1f nope
wc f
wc f s
wc -l f
wc -w s
wc -c f n
wc -L f odd
wc -m f
wc nope f
wc d f
wc -l d
printf "a b\n" | wc
printf "a b\n" | wc -l
wc e
wc n
wc -lwc f
wc -cl s f
wc -lL f
wc --lines f
wc -x
cat f | wc - n
head -c 100000 /dev/zero | wc
wc /dev/null
