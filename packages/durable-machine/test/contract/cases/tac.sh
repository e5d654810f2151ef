#### options and errors
#@ before printf 'a\nb\nc\n' > f; printf 'a\nb' > e; : > n; mkdir d
#@ each
tac f
tac e
tac n
tac e f
tac < f
cat f | tac - e
tac -s b f
tac -b f
tac -b -s b e
printf 'a,b,c' | tac -s,
printf '\n\na\n' | tac
printf '\n' | tac
tac nope f
tac -q
seq 100000 | tac | head -n 2
