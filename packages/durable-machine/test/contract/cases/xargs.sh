#### options and errors
#@ before printf 'a b\nc "d e" f\\ g\n' > w; echo a > xf
#@ each
xargs -n1 < w
xargs -n 1 < w
xargs -n2 echo x < w
printf 'a b\n c d \n\n' | xargs -I{} echo '[{}]'
printf 'a\n"b' | xargs
echo a b | xargs false
echo a | xargs nope-nope
echo a | xargs sh -c "exit 255"
echo a | xargs sh -c "exit 7"
printf '' | xargs echo x
printf '' | xargs -r echo x
printf 'a b' | xargs -t -n1 echo
printf 'a,b,c' | xargs -d, -n1
printf 'a\0b' | xargs -0 -n1
printf 'a\nb\nc\n' | xargs -L2
printf '1 2 3 4' | xargs -n3 -P1 echo
echo a | xargs -n x
echo a | xargs -n 0
echo a | xargs -Q
printf 'a\nEOF\nb' | xargs -E EOF
printf 'a \nb\n' | xargs -L1
printf 'x y\n' | xargs -i echo '<{}>'
echo 1 2 3 4 5 | xargs -s 12 echo
echo 1 2 3 4 5 | xargs -s 9 echo
printf "it's" | xargs
xargs -a xf echo
printf 'a\nb\n' | xargs -I{} sh -c 'echo {}; exit 3'
printf "a'b c'\n" | xargs -I{} echo {}
printf '  a  b  \n' | xargs -I{} echo '[{}]'
echo 'a  b' | xargs -t echo 'x y'
printf 'a\n\nb\n' | xargs -d '\n' -n1 echo
echo hi | xargs cat
printf 'a b' | xargs --max-args=1 --verbose
echo a b c | xargs
echo "a b" | xargs -I X echo X-X X
printf "a\nb\n" | xargs -I {} echo {} {}
echo a | xargs -I{} -n1 echo {}
xargs -a nope
echo "x*" | xargs echo
printf '\$HOME `id` ;x\n' | xargs -d '\n' echo
echo a | xargs -- echo -n
seq 1 10 | xargs -n4 echo
echo a | xargs --no-run-if-empty echo
find . -name xf | xargs cat
find . -name xf -print0 | xargs -0 cat
seq 3 | xargs -I% sh -c "echo n%"
echo a | xargs ls
seq 3 | xargs -n1 -I{} echo {}
printf "a b\n" | xargs -L 1 echo x
echo one two | xargs printf "%s-%s\n"
echo 'a\b' | xargs
printf "a\tb\n" | xargs -n1
seq 5 | xargs -P 3 -n1 true; echo $?
