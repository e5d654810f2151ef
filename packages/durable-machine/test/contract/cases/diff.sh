#### options and errors
#@ before seq 1 30 > a; sed '3d;10s/.*/ten/;20a new' a > b; printf 'x\ny' > n; printf 'x\ny\n' > m; printf 'A  b\nc\n' > w; printf 'a b \n\nc\n' > v; : > e; printf 'q\0a' > b1; printf 'q\0b' > b2; mkdir -p A/s B/s; echo 1 > A/x; echo 2 > B/x; : > A/o; echo p > B/p; echo q > A/s/f; echo r > B/s/f; printf 'f() {\n  a\n}\n\ng() {\n  b\n}\n' > c1; printf 'f() {\n  a\n}\n\nh() {\n  c\n}\n\ng() {\n  b\n}\n' > c2; printf 'a\na\na\n' > r1; printf 'a\na\na\na\n' > r2; printf '\303\251\n\377\n' > u1; printf '\303\250\n\377\n' > u2; touch -d '2024-05-06 07:08:09 UTC' a b e c1 c2 n m A/* B/* A/s/* B/s/*
#@ each
diff a b
diff -u a b
diff -U1 a b
diff -U 0 a b
diff --unified=2 a b
diff a a
diff -s a a
diff -q a b
diff --brief a b
diff n m
diff -u n m
diff -u m n
diff w v
diff -iwB w v
diff -i w v
diff -b w v
diff -ib w v
diff e a
diff -u e m
diff -u m e
diff b1 b2
diff -q b1 b2
diff -a n m
diff A B
diff -r A B
diff -ru A B
diff -rN A B
diff -ruN A B
diff -rq A B
diff -rs A A
diff -r -x '*x' A B
diff A/x B
diff a A
diff nope a
diff a nope
diff -N nope m
diff a
diff
diff a b e
diff --foo a b
diff --label one --label two -u n m
diff -L one -u n m
diff --color=never n m
diff -u c1 c2
diff c2 c1
diff r1 r2
diff r2 r1
diff u1 u2
diff -u - m < n | tail -n +3
diff <(echo a) <(echo b)
echo a | diff - <(echo a)
diff -d a b | wc -l
diff -u <(seq 1 2000) <(seq 1 3 2000) | tail -n +3 | md5sum
diff --normal a b
diff A A/s
diff -w <(printf 'a b\n') <(printf 'ab\n')
diff --strip-trailing-cr <(printf 'a\r\n') <(printf 'a\n')
diff -u2 a b
