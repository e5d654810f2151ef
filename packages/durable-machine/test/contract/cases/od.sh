#### options and errors
#@ before printf 'hello\nworld\0\1\377abc' > f; head -c 100 /dev/zero > z; printf '\0\0\200\77\0\0\300\177\0\0\200\377\1\0\0\0' > fl; : > e
#@ each
od f
od -c f
od -An -tx1 f
od -A x -t x1z f
od -t d4 f
od -tu2z f
od -t f8 f
od -a f
od -tfF f
od -v -w20 -tx1 z
od z
od -t x1 -t c f
od -t x4 -t c -Ad f
od -c -j 3 -N 4 f
od -j100 f
od nofile f
od -t x1c f
od -tx8 f
printf abc | od -tx2
od -tZ f
od -Aq f
od -tx3 f
od -w3 -tx2 f
od e
od -tf4 fl
od -td1 f
od -tu1 f
od -to1 f
od -to4 f
od -to8 f
od -td8 f
od -tu8 f
od -td2 f
od -x f
od -b f
od -d f
od -o f
od -s f
od -i f
od -An -c f f
od -w8 -tx1z f
head -c 4 f | od -An -tu4
od -An -v -tx1 -w1 -N3 f
od -j 0x2 -N 010 -tx1 f
od -w z
od -tz f
