#### mkdir
mkdir a; mkdir a; echo $?; mkdir x/y; echo $?; mkdir -p x/y/z; mkdir -p x/y; echo $?; mkdir -m 700 m; mkdir -v v; stat -c '%a %n' m; mkdir; echo $?

#### mkdir -p through a file
touch f; mkdir -p f/x; echo $?; mkdir f; echo $?

#### rmdir
mkdir -p a/b c; touch c/f; rmdir a; echo $?; rmdir a/b; rmdir -p a; rmdir c; echo $?; rmdir nope; echo $?; touch g; rmdir g; echo $?; ls

#### touch
touch a b; ls; touch -c nope; ls nope; touch -d '2021-02-03 04:05:06' a; stat -c '%y' a; touch -r a b; stat -c %Y b; touch x/y; echo $?

#### touch with other forms of time
touch -t 202001021530.45 a; stat -c %Y a; touch -d @1000000000 a; stat -c %Y a; touch -d '2020-06-01T12:00:00Z' a; stat -c %Y a; touch -m -d @5 a; touch -a -d @6 a; stat -c '%X %Y' a; touch; echo $?

#### cp of a file
#@ files fruits.txt
cp fruits.txt b; cmp fruits.txt b && echo same; cp nope x; echo $?; mkdir d; cp fruits.txt b d; ls d; cp fruits.txt b nodir; echo $?; cp fruits.txt; echo $?

#### cp of directories
mkdir -p a/b; echo x > a/b/f; cp a c; echo $?; cp -r a c; cp -R a d; find c d | sort; cp -r a c; find c | sort

#### cp -r with a slash and a dot
mkdir -p a/b d; touch a/f a/.h; cp -r a/. d; ls -A d; mkdir e; cp -r a/* e; ls -A e

#### cp keeps modes and times
echo x > a; chmod 751 a; touch -d @1000 a; cp a b; cp -p a c; stat -c '%a %n' a b c; stat -c '%Y' c

#### cp of symlinks
echo x > f; ln -s f l; cp l copy; cp -P l link; cp -a l link2; cp -d l link3; stat -c '%F %n' copy link link2 link3; mkdir d; ln -s nowhere d/broken; cp -r d e; readlink e/broken; cp -L d/broken x; echo $?

#### cp options
echo a > a; echo b > b; cp -n a b; cat b; cp -v a c; cp -f a b; cat b; cp -t . /dev/null; cp --backup a c; ls; cp -u a b; cp a a; echo $?

#### cp over a directory and into a missing one
mkdir d; touch f; cp f nope/x; echo $?; cp -r d f; echo $?; mkdir e; touch e/d; cp -r d e; echo $?; cp f d/; ls d; cp f nope/; echo $?

#### cp -l and -s
#@ links
echo x > a; cp -l a b; cp -s "$PWD/a" c; [ -L c ] && echo link; cat c

#### cp -T and several sources
#@ files fruits.txt numbers.txt
mkdir a b; touch a/x; cp -rT a b; ls b; cp -t a fruits.txt numbers.txt; ls a; cp fruits.txt nope numbers.txt a; echo $?

#### cp into itself
mkdir a; cp -r a a/b; echo $?; ls a

#### mv of files
echo a > a; mv a b; ls; cat b; mv nope x; echo $?; mkdir d; mv b d; ls d; mv d/b d/c; ls d; touch x y; mv x y d; ls d; mv d/x d/y nodir; echo $?

#### mv of directories
mkdir -p a/b c; touch a/b/f; mv a d; ls -R d; mv d c; find c | sort; mv c c/x; echo $?

#### mv replaces
echo a > a; echo b > b; mv a b; cat b; echo c > c; mv -n c b; cat b; mv -v c e; mv -f e b; cat b; mkdir d; touch f; mv -T f d; echo $?; mv d f; echo $?

#### mv a directory over another
mkdir -p a/x b/a; mv a b; echo $?; mkdir c; mkdir -p e/c/full; mv c e; echo $?; mv nope1 nope2 b; echo $?

#### mv onto itself and without arguments
touch a; mv a a; echo $?; mv a; echo $?; mv; echo $?

#### mv keeps times and links
#@ links
echo x > a; touch -d @1000 a; ln a l; mv a b; stat -c '%Y %h' b; [ b -ef l ] && echo same; ln -s b s; mv s t; readlink t

#### rm
touch a b; rm a; ls; rm a; echo $?; rm -f a; echo $?; mkdir d; rm d; echo $?; rm -d d; rm -r nope; echo $?; rm -rf nope; echo $?; rm; echo $?; rm -f; echo $?

#### rm -r
mkdir -p a/b/c; touch a/f a/b/g; ln -s a l; rm -r a; ls; mkdir x; touch x/.h; rm -rv x; rm l

#### rm of odd names
touch -- -f 'a b' '*' '$x'; rm -- -f; rm 'a b' '*' '$x'; ls -A; mkdir -p x/y; cd x/y; rm -r . ; echo $?; rm -r ..; echo $?; rm -rf ../.; echo $?

#### rm of a link leaves its target
mkdir d; touch d/f; ln -s d l; rm l; ls d; ln -s d l; rm -r l; ls d; ln -s d l; rm -rf l/; echo $?; ls

#### unlink
touch a; unlink a; ls; unlink nope; echo $?; mkdir d; unlink d; echo $?

#### ln -s
echo x > f; ln -s f l; cat l; readlink l; ls -l l | sed 's/.* l ->/l ->/'; ln -s f l; echo $?; ln -sf nowhere l; readlink l; cat l; echo $?; ln -s /abs/path a; readlink a

#### ln hard
#@ links
echo x > a; ln a b; echo y >> b; cat a; stat -c '%h' a; [ a -ef b ] && echo same; rm a; cat b; stat -c %h b; ln nope x; echo $?; mkdir d; ln d e; echo $?

#### ln into a directory
touch f g; mkdir d; ln -s ../f d; readlink d/f; ln -s f g d; echo $?; ls d; ln -sfn d link; mkdir e; ln -sfn e link; readlink link; ln -sv f v; ln -sr f d/rel; readlink d/rel

#### loops of symlinks
ln -s a b; ln -s b a; cat a; echo $?; [ -e a ] || echo none; ls -d a; cd a; echo $?; readlink -f a; echo $?

#### chmod
touch f; for m in 755 644 0600 u+x go-r a=r +x u=rw,go= g+w,o+r a-w ug+rwX u=g; do chmod $m f; echo "$m $(stat -c '%a %A' f)"; done

#### chmod special bits
touch f; mkdir d; chmod 4755 f; stat -c '%a %A' f; chmod 2755 d; stat -c '%a %A' d; chmod 1777 d; stat -c '%a %A' d; chmod u+s,g+s f; stat -c '%a %A' f; chmod 644 f; chmod -t d; stat -c '%a %A' f d

#### chmod -R
mkdir -p d/e; touch d/f d/e/g; chmod -R u=rwX,go= d; stat -c '%a %n' d d/e d/f d/e/g; chmod -R 755 d; stat -c '%a %n' d/e/g

#### chmod errors
chmod 644 nope; echo $?; touch f; chmod 999 f; echo $?; chmod u+q f; echo $?; chmod 644; echo $?; chmod -v 600 f; chmod -c 600 f; chmod -f 644 nope; echo $?

#### chmod with a reference and through a link
touch a b; chmod 640 a; chmod --reference=a b; stat -c %a b; ln -s a l; chmod 600 l; stat -c %a a

#### chown as root
#@ root
touch f; chown 1234:5678 f; stat -c '%u %g' f; chown 0 f; stat -c '%u %g' f; chown :0 f; stat -c '%u:%g %U:%G' f; chgrp 7 f; stat -c %g f; chown nosuchuser f; echo $?; chown 0 nope; echo $?; chown -R 5 .; stat -c %u f

#### pwd
pwd | grep -c '^/'; pwd -P > /dev/null; echo $?; cd /; pwd

#### basename and dirname
#@ each
basename /a/b/c.txt
basename /a/b/c.txt .txt
basename a/
basename /
basename -s .c x.c y.c
basename -a p/q r/s
dirname /a/b/c
dirname a
dirname /
dirname a/b/ c/d
basename; echo $?

#### readlink and realpath
mkdir -p a/b; touch a/b/f; ln -s b a/l; cd a; readlink l; readlink b; echo $?; p=$PWD; readlink -f l/f | sed "s,^$p,P,"; realpath l/f | sed "s,^$p,P,"; realpath -s l/f | sed "s,^$p,P,"; realpath --relative-to=. ../a/b/f; realpath nope/x; echo $?; readlink -f nope | sed "s,^$p,P,"; readlink -e nope; echo $?; realpath -m nope/../x | sed "s,^$p,P,"

#### mktemp
f=$(mktemp ./x.XXXXXX); [ -f "$f" ] && stat -c %a "$f"; echo ${#f}; d=$(mktemp -d ./d.XXX); stat -c '%a %F' $d; mktemp -u ./u.XXXX | grep -c '^\./u\.[A-Za-z0-9]\{4\}$'; mktemp ./bad; echo $?; rm -r x.* d.*; t=$(mktemp); case $t in /tmp/tmp.??????????) echo default;; esac; rm $t; mktemp -p . --suffix=.txt n.XXXXX | grep -c '^./n......txt$'; rm n.*

#### install
#@ needs install
echo x > f; install -m 755 f g; stat -c %a g; install -d a/b; ls; install -D f p/q/r; cat p/q/r

#### truncate
#@ needs truncate
echo hello > f; truncate -s 2 f; od -An -c f; truncate -s 4 f; od -An -c f; truncate -s 0 f; wc -c < f; truncate -s 1K g; stat -c %s g

#### split
seq 10 > f; split -l 4 f; ls; cat xab; split -b 5 f p_; ls p_* | wc -l; cat p_* | cmp - f && echo whole; split -n 2 -d f n; ls n*; split -l 5 --additional-suffix=.txt f q; ls q*

#### tee
echo a | tee f g; cat f g; echo b | tee -a f > /dev/null; cat f; echo c | tee nope/x; echo $?

#### dd
printf 'hello world' > f; dd if=f bs=1 count=5 2>/dev/null; echo; dd if=f bs=1 skip=6 2>/dev/null; echo; dd if=f of=g bs=4 2>/dev/null; cat g; echo; printf XX | dd of=g bs=1 seek=2 conv=notrunc 2>/dev/null; cat g; echo; dd if=/dev/zero bs=1024 count=2 2>/dev/null | wc -c; printf abc | dd conv=ucase 2>/dev/null; echo

#### dd status
printf 'hello world' | dd of=/dev/null bs=4 2>&1 | head -n 2; dd if=nope; echo $?; dd bs=x; echo $?; dd status=none if=/dev/null; echo $?

#### du of apparent sizes
mkdir d; printf '%01000d' 0 > d/f; du -b d/f | cut -f1; du -bc d/f d/f | tail -n 1; du nope; echo $?

#### du of files
printf '%05000d' 0 > f; printf x > g; ln f h; du f g; du -k f; du -h f g; du -ac f h; du -sc f; du -s -a f; echo $?; du -d x f; echo $?

#### du of directories
mkdir -p d/e; printf '%05000d' 0 > d/e/f; printf x > d/g; cd d; du | cut -f2; du -a . | cut -f2 | sort; du -d 1 | cut -f2; du -s | cut -f2; du --max-depth=0 e/ | cut -f2

#### the file system's devices
#@ each
[ -c /dev/zero ] && head -c 3 /dev/zero | od -An -tx1
head -c 8 /dev/urandom | wc -c
echo x > /dev/null
[ -d /tmp ] && echo tmp
stat -c '%a' /tmp
ls -d /bin /etc /usr/bin /dev

#### long and odd names
n=$(printf 'x%.0s' {1..255}); touch $n; ls | wc -c; touch x$n; echo $?; touch 'new
line' $'tab\there' ' space' 'ü'; ls | cat

#### paths with dots and slashes
#@ before mkdir -p a/b; touch a/f
#@ each
cat a/../a/./f && ls a//b/..//f
ls a/f/; echo $?
cat a/f/x; echo $?
[ -e a/nope/.. ] || echo no

#### an empty name
cat ''; echo $?; touch ''; echo $?; mkdir ''; echo $?; [ -e '' ] || echo no

#### a tree of copies and moves
mkdir -p p/{src,docs}/x; echo 1 > p/src/a; echo 2 > p/docs/x/b; cp -r p q; mv q/docs q/src/; rm -r q/src/x; ln -s src q/link; find q | sort; chmod -R go-rwx q

#### rights of directories
#@ user
mkdir d; touch d/f; chmod 500 d; touch d/g; echo $?; rm d/f; echo $?; chmod 300 d; ls d; echo $?; chmod 600 d; cat d/f; echo $?; chmod 700 d

#### inodes
touch a b; ln a c; [ $(stat -c %i a) = $(stat -c %i c) ] && echo same; [ $(stat -c %i a) != $(stat -c %i b) ] && echo other; i=$(stat -c %i a); mv a d; [ $i = $(stat -c %i d) ] && echo kept; cp d e; [ $i != $(stat -c %i e) ] && echo new

#### sync and true names
#@ each
sync; echo $?
uname
uname -s
uname -o
nproc | grep -c '^[0-9]'
hostname | grep -c .
tty; echo $?
