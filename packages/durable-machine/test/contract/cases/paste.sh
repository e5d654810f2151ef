#### options and errors
#@ before printf '1\n2\n3\n' > f; printf 'a\nb' > g; : > n; mkdir d; printf 'x\0y\0' > z
#@ each
paste f g
paste f
paste f g f
paste -d, f g
paste -d ',;' f g f g
paste -d '\n' f g
paste -d '\0' f g
paste -d '' f g
paste -d '\\' f g
paste -s f
paste -sd, f
paste -sd+ f g
paste -s -d ',;' f
paste -sd '\n' f
paste - - < f
paste -d, - - - < f
paste - g < f
seq 6 | paste - -
seq 5 | paste -sd+
paste n f
paste -s n f
paste n
paste -z z z
paste f nope
paste -s nope f
paste d
paste -d '\' f g
paste -q
