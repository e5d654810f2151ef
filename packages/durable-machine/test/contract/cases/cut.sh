#### options and errors
#@ before printf 'a:b:c\nno\n:x:\nabcdef\n\n' > f; printf 'a\tb\tc' > t; printf 'a:b\0c:d\0' > z; mkdir d
#@ each
cut -d: -f1 f
cut -d: -f2 f
cut -d: -f1,3 f
cut -d: -f3,1 f
cut -d: -f2- f
cut -d: -f-2 f
cut -d: -s -f2 f
cut -d: -f5 f
cut -d: --complement -f2 f
cut -d: -f1,3 --output-delimiter=, f
cut -d: -f1-3 --output-delimiter=' - ' f
cut -c1 f
cut -c 2-3 f
cut -b -2 f
cut -c1,3 f
cut -c1-2,4 --output-delimiter=_ f
cut -c1-2,3-4 --output-delimiter=_ f
cut --complement -c2 f
cut -c '1 3' f
cut -f2 t
cut -f1-2 < t
cut -z -d: -f2 z
cut -d '' -f1 f
cut -d: -f1 nope f
cut -f1 d
cut f
cut -f0 f
cut -c0 f
cut -fx f
cut -f1x f
cut -cx f
cut -f3-1 f
cut -f- f
cut -f1 -c1 f
cut -d ab -f1 f
cut -d: -c1 f
cut -s -c1 f
cut -q
cut -f '' f
printf '\303\251a\n' | cut -c1-2
printf 'a b  c\n' | cut -d' ' -f2,3
