#### options and errors
#@ before trap 'rm -rf *.t* *.gz z' EXIT; mkdir -p a/b; echo hi > a/f; ln -s f a/l; ln a/f a/hard; seq 1 5000 > a/big; echo x > a/b/g; chmod 640 a/b/g; touch -d '2020-01-02 03:04:05' a/f a/big a/b/g a/b a; tar cf t.tar --sort=name a; tar czf t.tgz --sort=name a
#@ each
tar tf t.tar
tar tzf t.tgz
tar tf t.tgz
tar cvf t2.tar a/f
mkdir o; tar xf t.tar -C o; ls -R o; cmp o/a/big a/big; stat -c "%n %a %h %y" o/a/f o/a/b/g o/a/b; readlink o/a/l
mkdir o; tar xvf t.tar -C o a/f; ls -R o
tar xOf t.tar a/f
tar cf - --sort=name a | tar tf -
tar cf e.tar
tar cf e.tar nope
tar xf nope
tar tf t.tar nope
tar tf t.tar a/b
tar cf abs.tar $PWD/a/big; tar tf abs.tar | sed s,.*/a/,a/,
tar cf up.tar a/../a/big; tar tf up.tar
mkdir o; tar xf t.tar --strip-components=1 -C o; ls o
tar cf ex.tar --exclude='*.tar' --exclude=b --sort=name a; tar tf ex.tar
tar -Q
tar
tar xf a/f
printf "a/f\na/l\n" > list; tar cf l.tar -T list; tar tf l.tar
cp t.tar r.tar; tar rf r.tar a/b; tar tf r.tar
tar xf t.tar -k
tar xf t.tar --skip-old-files; echo $?
tar xf t.tar -C nodir
tar cf t3.tar -C a f -C b g; tar tf t3.tar
tar tf t.tar --wildcards '*g'
tar xzf t.tar
tar cfz x.tgz a/f; tar tf x.tgz
tar -c a/f -f y.tar; tar tf y.tar
cp a/f z; tar cf z z; tar tf z
wc -c t.tar
tar cf m.tar --mtime=2020-01-01 --owner=0 --group=0 --sort=name a; tar tvf m.tar
tar xf t.tar -v a/b
head -c 700 t.tar > cut.tar; tar tf cut.tar
head -c 300 t.tar > cut.tar; tar tf cut.tar
tar cf q.tar --files-from=/dev/null; wc -c q.tar
d=$(printf "n%.0s" $(seq 1 120)); mkdir -p $d/$d; echo deep > $d/$d/f; ln -s $d/$d/f $d/ln; tar cf long.tar --sort=name $d; tar tf long.tar; rm -r $d; tar xf long.tar; cat $d/$d/f; readlink $d/ln
d=$(printf "n%.0s" $(seq 1 120)); mkdir $d; echo deep > $d/f; tar cf long.tar --format=pax $d; rm -r $d; tar xf long.tar; cat $d/f
tar czf g.tgz -C a f; gzip -dc < g.tgz | tar tf -
gzip -dc < t.tgz | tar xO a/f
cat t.tgz | tar tzf - | head -1
tar xvf t.tar --exclude=b --exclude=big | wc -l
tar xf t.tar -O a/big | md5sum
true
tar xpf t.tar; stat -c %a a/b/g
tar xf t.tar -m a/f; stat -c %y a/f | cut -c1-2
mkdir o; tar -x -f t.tar --directory=o; ls o
tar c a/f | tar x -O
tar xf t.tgz a/b --strip-components=2; cat g
rm -r a; mkdir x; ln -s x a; tar xf t.tar a/f; ls -R; readlink a
tar xf t.tar --one-top-level=zz a/f; ls -R zz

#### what names its owners
#@ root
#@ before trap 'rm -rf *.t* *.gz z' EXIT; mkdir -p a/b; echo hi > a/f; ln -s f a/l; ln a/f a/hard; seq 1 5000 > a/big; echo x > a/b/g; chmod 640 a/b/g; touch -d '2020-01-02 03:04:05' a/f a/big a/b/g a/b a; tar cf t.tar --sort=name a; tar czf t.tgz --sort=name a
#@ each
tar tvf t.tar --exclude=l
tar tvzf t.tgz a/f
tar tvf t.tar --full-time | head -2
tar tvf t.tar --numeric-owner | head -1
tar -tvf t.tar a/hard
tar vtf t.tar a/f
umask 077; mkdir o; tar xf t.tar -C o; stat -c "%a" o/a/f
