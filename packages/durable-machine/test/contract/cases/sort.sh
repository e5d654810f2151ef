#### options and errors
#@ before printf 'b 2\na 10\nc 1\na 9\nB 3\n' > w; printf '10\n9\n-3\n2.50\n2.5\nx\n 7\n007\n-0\n0\n' > n; printf '1K\n2M\n512\n1G\n3k\n-1K\n-2M\n0\n' > h; printf 'f-1.10\nf-1.9\nf-1.2.tar.gz\nf-1.10~\n.x\nf1\nf01\n' > v; printf 'c:3:x\na:1:z\nb:2:y\na:1:a\n' > t; printf 'a\0c\0b\0' > z; printf 'DEC\nfeb 2\n  JAN\nfoo\nmarch\n' > m; printf '1e3\n-inf\nnan\n0x10\nabc\n+5\n.5\n 2\n' > g; printf '\351\na\n\nZ\n\303\251\n~' > u; printf '99999999999999999999\n99999999999999999998\n-99999999999999999999\n-99999999999999999998\n0.1\n0.09999999999999999999999\n' > l; mkdir d
#@ each
sort w
sort -r w
sort -f w
sort -fu w
sort -f -s w
sort -n n
sort -rn n
sort -nu n
sort -ns n
sort -n l
sort -nr l
sort -h h
sort -hr h
sort -V v
sort -g g
sort -M m
sort u
sort -d v
sort -i u
sort -b n
sort -k2 w
sort -k2n w
sort -k2,2n -k1,1r w
sort -k1,1 -k2nr w
sort -k1,1 -s w
sort -t: -k2,2 -k3r t
sort -t : -k 3 t
sort -t: -k2.1,2.1 -s t
sort -t: -u -k2,2n t
sort -k1.2 w
sort -k 1.1,1.1 -u w
sort -n -k2 w
sort -k2bn w
sort -k2,2b w
sort -z z
sort -c w
sort -C w
sort w | sort -c
sort -c -u n
sort -cn n
sort --check=quiet w
sort -cu t
sort -o w w; cat w
sort -o out w n; cat out
sort -m t w
sort -um t t
sort w n
cat w | sort - n
sort < w
sort nope
sort d
sort -o d w
sort -o no/x w
sort -k0 w
sort -kx w
sort -k1.0 w
sort -k1,0 w
sort -k1x w
sort -t ab w
sort -t '' w
sort -t a -t b w
sort -nh w
sort -k1nM w
sort -dn w
sort -c w n
sort -q
sort --sort=numeric n
sort --reverse --key=2 w
printf 'b\na' | sort
sort /dev/null
printf 'a  b\na b\n' | sort -k2
printf 'a  b\na b\n' | sort -k2b
printf 'x,,3\ny,1,2\n' | sort -t, -k2
printf 'a b c\na a d\n' | sort -k2.2,3
printf '3 a\n1 b\n' | sort -k1,1nr -k2
printf 'b\nB\na\nA\n' | sort -f
printf 'b\nB\na\nA\n' | sort -fr
printf '2\n1\n2\n1\n' | sort | uniq -c | sort -rn | head -n 1
