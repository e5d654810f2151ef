#### options and errors
#@ before printf 'a\nb\n' > a; printf 'a\nc\n' > b; printf 'a\n' > c; printf 'a\nb\nlong' > l; : > e; mkdir d
#@ each
cmp a a
cmp a c
cmp a l
cmp l c
cmp -l a b
cmp -lb a b
cmp -s a b
cmp -b a b
cmp -n 2 a b
cmp a nope
cmp a e
cmp -l a c
cmp --bytes=x a b
cmp a d
cmp
cmp -s a nope
printf "a\nbx" > p; printf "a\nb" > q; cmp p q
cmp -i 2 a b
cmp -i 1:2 a b
cmp a b 1 1
cmp a - < b
