#### output, appending, truncating
echo a > f; echo b >> f; cat f; echo c > f; cat f; > f; wc -c < f

#### errors
ls nope 2> e; echo $?; cat e

#### both
{ echo out; echo err >&2; } > f 2>&1; cat f; { echo o2; echo e2 >&2; } &> g; cat g; { echo o3; echo e3 >&2; } &>> g; cat g

#### the order of redirections matters
{ echo out; echo err >&2; } 2>&1 > f; echo --; cat f

#### pipe of errors
{ echo out; echo err >&2; } |& sort; { echo a >&2; } 2>&1 | tr a-z A-Z; ls nope 2>&1 >/dev/null | wc -l

#### input
echo text > f; cat < f; tr a-z A-Z < f; wc -l < f

#### redirections may come first
> f echo hello; cat f; < f cat; 2>/dev/null ls nope; echo $?

#### here-document
x=1; cat <<END
x is $x $(echo sub) $((1+1)) \$x `echo b`
  indented "quoted" 'single'
END

#### here-document without expansion
x=1; cat <<'END'
x is $x $(echo sub) \$x
END
cat <<\END
$x
END

#### here-document with tabs stripped
cat <<-END
	one
		two
	END
echo done

#### several here-documents
cat <<A; cat <<B
first
A
second
B
cat - <<A /dev/null <<B
ignored
A
used
B

#### here-document into a loop and a pipe
while read -r a b; do echo "$b $a"; done <<END
1 one
2 two
END
cat <<END | tr a-z A-Z
shout
END

#### here-document in a function and a substitution
f() { cat <<END
hello $1
END
}
f world; x=$(cat <<END
in $(echo here)
END
); echo "$x"

#### an empty here-document and one with backslashes
cat <<END
END
cat <<END
a\
b \\ \n \`
END

#### here-string
cat <<< "a  b"; x='c d'; cat <<< $x; wc -c <<< ''; read -r a b <<< 'x y z'; echo "$a|$b"

#### /dev/null
echo gone > /dev/null; cat /dev/null; echo $?; cat < /dev/null | wc -c

#### /dev/stdin, /dev/stdout, /dev/stderr
echo a | cat /dev/stdin; echo b > /dev/stdout; echo c > /dev/stderr; echo d | cat - /dev/null; echo e > /dev/fd/1

#### other descriptors
exec 3> f; echo a >&3; echo b >&3; exec 3>&-; cat f; exec 4< f; read -r x <&4; read -r y <&4; echo $x $y; exec 4<&-

#### swapping output and errors
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 | sed 's/^/piped: /'

#### closing
echo a >&-; echo $?; cat <&-; echo $?

#### a bad descriptor
echo a >&9; echo $?

#### a named descriptor
exec {fd}> f; echo via $((fd > 9)) >&$fd; exec {fd}>&-; cat f

#### exec sends everything after it
exec > f; echo a; echo b | tr b c; exec >&2; echo to errors; cat f

#### exec for errors
exec 2> e; ls nope; exec 2>&1; cat e

#### reading and writing
echo abc > f; exec 3<> f; read -r x <&3; echo $x; echo def >&3; exec 3>&-; cat f

#### a missing directory
echo a > nope/f; echo $?; echo went on

#### a directory is no file
mkdir d; echo a > d; echo $?; cat < d; echo $?

#### a missing input
cat < nope; echo $?; while read -r x; do :; done < nope; echo $?

#### an ambiguous redirection
touch a b; echo x > *; echo $?; y='a b'; echo x > $y; echo $?; echo x > "$nope"; echo $?

#### a redirection error of a builtin and of a group
: > nope/f; echo $?; { echo never; } > nope/f; echo $?; if true; then echo never; fi > nope/f; echo $?

#### a group with redirections
{ echo a; cat; echo b; } < <(echo mid) > f; cat f; (echo sub; echo err >&2) > g 2>&1; cat g

#### redirections of compound commands
for i in 1 2; do echo $i; done > f; while read -r x; do echo got $x; done < f; if true; then echo yes; fi >> f; case a in a) echo c;; esac >> f; cat f

#### redirections only last for one command
echo a > f; echo b; { echo c; } >> f; echo d; cat f

#### process substitution
cat <(echo a) <(echo b); diff <(printf '1\n2\n') <(printf '1\n3\n'); echo $?; paste <(seq 2) <(seq 3 4); while read -r x; do echo "$x"; done < <(seq 2)

#### output into a process
echo hello | tee >(tr a-z A-Z > up) > /dev/null; sleep 0.2; cat up

#### the same file in and out is emptied
echo a > f; cat f > g; sort < f > f; wc -c < f

#### appending by two writers
{ echo a; echo b >> f; echo c; } >> f; cat f

#### binary bytes go through
printf '\000\001\377\200\n' > f; od -An -tx1 f; cat f | cat | od -An -tx1; cp f g; cmp f g; cat f

#### all bytes go through a pipe and a file
for i in {0..255}; do printf "\\x$(printf %02x $i)"; done > all; wc -c < all; cat all | tee copy | md5sum; md5sum < copy

#### a large pipe
yes 'some text' | head -n 100000 | tail -n 1; seq 200000 | wc -l; seq 100000 | md5sum

#### a reader that ends early
yes | head -n 2; seq 1000000 | head -n 1; seq 10 | sed 2q

#### pipe of many parts
echo one two three | tr ' ' '\n' | sort | nl | tac | awk '{print $2}' | paste -sd, -

#### a missing command in a pipe
nope | cat; echo "${PIPESTATUS[@]}"; echo a | nope; echo $?

#### noise on the errors of every part
(echo e1 >&2; echo x) | (cat; echo e2 >&2) 2>&1 | sort

#### a name made by expansion
d=out n=1; mkdir $d; echo hi > "$d/file $n"; cat "$d/file 1"; echo there > ~+/tilde; ls

#### writing to a file without rights
#@ user
touch f; chmod 444 f; echo x > f; echo $?

#### stdin of a command in a loop
printf 'a\nb\nc\n' | while read -r x; do echo "$x"; cat > rest; done; cat rest

#### read takes only its line
printf 'one\ntwo\nthree\n' | { read -r x; echo "first $x"; cat; }

#### head leaves the rest of a file
printf 'one\ntwo\nthree\n' > f; { head -n 1; echo --; cat; } < f
