#### options and errors
#@ needs xxd
#@ before seq 1 5 > s; head -c 100 /dev/zero > z; : > e; seq 1 100 > h; echo '00000002: 4142 43  ..' > r
#@ each
xxd s
xxd -p s
xxd -i s
xxd -b s
xxd -u -g1 -c 8 -l 9 -s 2 s
xxd -e s
xxd -s -3 s
xxd -p -c 4 s
xxd -g 0 s
xxd -g 3 s
xxd -l 0x4 s
xxd -s 0x2 s
xxd -ps s
xxd -C -i s
xxd -p -u s
xxd -a z
xxd -o 16 -l 4 s
xxd -d s
xxd -i -n foo s
xxd -p h
xxd h
xxd e
xxd -i e
xxd -p e
xxd nope
xxd -c 4 s
xxd -c4 -g1 s
xxd -l 3 -p s
xxd -u s
xxd -r r | xxd
xxd -i -c 4 s
xxd -b -c 3 s
xxd -i < s
xxd -e -g 2 s
xxd -c 300 s
xxd -g 16 s
xxd -s 100 s
xxd s out; cat out
echo 3131 | xxd -r -p
echo "zz 41" | xxd -r -p
echo '4a 4b 0a 4c 4d' | xxd -r -p
xxd h | xxd -r | cmp - h
xxd -p h | xxd -r -p | cmp - h
printf "414\n2" | xxd -r -p
xxd -r -p s | xxd
xxd < s
cat s | xxd -l 2
xxd -g1 -c 8 h | xxd -r -g1 -c 8 | cmp - h
(head -c 32 /dev/zero; echo hi) | xxd -a
