#### options and errors
#@ before printf 'a\na\nb\nA\nc\nc\nc\n' > f; printf '1 x\n2 x\n3 y\n' > g; printf 'a\0a\0b\0' > z; printf 'a\na' > e; mkdir d
#@ each
uniq f
uniq -c f
uniq -d f
uniq -u f
uniq -du f
uniq -D f
uniq -Du f
uniq -i f
uniq -ic f
uniq -cd f
uniq -f1 g
uniq -f 1 -c g
uniq -s 2 g
uniq -w 1 g
uniq -s1 -w1 g
uniq -z z
uniq e
uniq < f
cat f | uniq -c
uniq f out; cat out
uniq - out < f; cat out
uniq --all-repeated=prepend f
uniq --all-repeated=separate f
uniq --group f
uniq --group=both f
uniq --group=append f
uniq --group=prepend f
uniq nope
uniq d
uniq f d
uniq a b c
uniq -f x f
uniq -w x f
uniq -cD f
uniq -q
uniq /dev/null
