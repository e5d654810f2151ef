#### options and errors
#@ before mkdir d
#@ each
mktemp -u 2>&1 | sed -E "s/[A-Za-z0-9]{10}$/RANDOM/; s/foo[A-Za-z0-9]{3,5}/fooR/"
mktemp -d -p /nope 2>&1 | sed -E "s/[A-Za-z0-9]{10}$/RANDOM/; s/foo[A-Za-z0-9]{3,5}/fooR/"
mktemp -u -p d 2>&1 | sed -E "s/[A-Za-z0-9]{10}$/RANDOM/; s/foo[A-Za-z0-9]{3,5}/fooR/"
mktemp /nope/fooXXXXX
mktemp fooXXX.a/b
mktemp --suffix=.txt foo
mktemp a b
mktemp -u XX
mktemp -t /fooXXX
f=$(mktemp -p d fXXX); test -f "$f" && stat -c "%a %s" "$f"; ls d | wc -c; rm "$f"
f=$(mktemp -d dXXXX); stat -c "%a %F" "$f"; rm -r "$f"
mktemp -u fooXXXX | wc -c
mktemp -u --suffix=.txt fooXXX | wc -c
mktemp -u --tmpdir=d xXXX | wc -c
TMPDIR=/x mktemp -u -t aXXX | wc -c
mktemp -q /nope/aXXX; echo $?
mktemp -u aXXXb | wc -c
mktemp --zz
test -n "$(mktemp -u)" && echo yes
mktemp -u /nope/aXXX | wc -c
