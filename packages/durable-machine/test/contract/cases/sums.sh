#### options and errors
#@ before printf 'one\n' > f; printf 'two\n' > g; mkdir d; printf x > 'n\l'; md5sum f g > m; printf 'garbage\nd41d8cd98f00b204e9800998ecf8427e  nope\nd41d8cd98f00b204e9800998ecf8427e  f\n' > bad; md5sum f >> bad; : > e
#@ each
md5sum f g
sha1sum f g
sha256sum f g
sha384sum f g
sha512sum f g
cksum f g
md5sum < f
md5sum - < f
md5sum nope f
md5sum d
md5sum -b f
md5sum --tag f
md5sum 'n\l'
md5sum -c m
md5sum -c bad
md5sum --quiet -c bad
md5sum --status -c bad
md5sum --ignore-missing -c bad
md5sum --strict -c bad
md5sum -c f
md5sum -c nope
md5sum --tag f | md5sum -c
md5sum --quiet f
sha256sum f | sha256sum -c
md5sum -c - < m
md5sum 'n\l' | md5sum -c
md5sum -c e
sha1sum --check --status m
echo -n | cksum
cksum < f
cksum nope
head -c 300000 /dev/zero | sha256sum
head -c 300000 /dev/zero | cksum

#### options and errors, with xxd
#@ needs xxd
#@ before printf 'one\n' > f; printf 'two\n' > g; mkdir d; printf x > 'n\l'; md5sum f g > m; printf 'garbage\nd41d8cd98f00b204e9800998ecf8427e  nope\nd41d8cd98f00b204e9800998ecf8427e  f\n' > bad; md5sum f >> bad; : > e
#@ each
md5sum -z f | xxd
