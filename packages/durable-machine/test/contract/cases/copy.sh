#### options and errors
#@ before echo a>a; echo b>b; mkdir d e; echo x>d/x; ln -s nope dang; ln -s d ld; chmod 640 b; chmod 750 d; ln a hl; ln -s a la; touch -d '2020-01-02 03:04:05' a b d/x d
#@ each
cp a b c
cp a b a
cp d q
cp a a
cp a ./a
cp -r d d
cp -r d d/y
cp -T a d
cp -r d a
cp nope q
cp nope nope2 d
cp a nodir/
cp a a/x
cp -v a q; cat q; stat -c %a q
cp -rv d e; ls -R e
cp -n a b; cat b
cp
cp a
cp -t
cp -t nodir a
cp -t a b
cp -r a d -v
cp dang q2
cp -P dang q2; readlink q2
cp -r dang q3; readlink q3
cp -a ld ld2; readlink ld2
cp -r ld/ ld3; stat -c %F ld3
cp a dang
cp --parents d/x e; ls -R e
cp -T
cp -T a
cp -T a b c
cp -rT d e2; ls e2
cp "" x
cp a ""
cp -t e
cp -r d/. e3; ls -a e3
cp -l a hl2; stat -c %h hl2
cp -s a sl; readlink sl
cp -u b a; cat a
cp a a e
cp a d/../a e
cp d/x d/x e/
cp b q; stat -c %a q
cp -p b q; stat -c "%a %y" q
cp -a d q; stat -c "%a %y" q q/x
cp --preserve=timestamps b q; stat -c "%a %y" q
cp --preserve=mode,foo b q
cp -r d a e; ls -R e
cp la q; stat -c %F q
cp -d la q; readlink q
cp -rL ld q; stat -c %F q; ls q
cp a hl
cp -f a hl
cp --remove-destination b a; cat a hl
cp a b; stat -c %a b
cp -a a hl e; stat -c %h e/a
cp a hl e; stat -c %h e/a
cp /dev/null b; wc -c b
cp a /dev/null; echo $?
cp -i a b < /dev/null; cat b
echo y | cp -i a b; cat b
cp --zz a b
cp -r d dang
cp -R d/x q; cat q
cp a d b
cp -rn d e; cp -rn d e; ls -R e
cp -v a b e
cp -H ld q
cp a -t d -v
cp d/x -r d
mv a a
mv d d
mv d d/q
mv a b c
mv nope q
mv a nodir/
mv -T a d
mv -T d a
mv d a
mkdir -p e/d; echo 1>e/d/z; mv d e; ls e/d
mv -v a a2; ls
mv -n a b; cat a b
mv -t d a b -v
mv
mv a
mv dang dang9 -v; readlink dang9
mv e d/e -v
mv d/ y; ls y
mv "" y
mv b/ gg
mv b d/; ls d
mv d/. k
mv b d/x d
mv a hl; ls; cat hl
mv -i a b < /dev/null; cat b
mv -f a b; cat b
mv a b d; ls d
mv ld e; ls e
mv -u a b; cat b
mv -T d e; ls e
mv a d/x -v; cat d/x
mv d ld2; ls ld2
mkdir q; mv -T d q; ls q
mv a b nope d
mv --zz a b
mv hl la; ls; cat la
mv -nv a b
install b q; stat -c %a q
install -m 600 a q; stat -c %a q
install -d x/y; stat -c %a x/y
install -v a d
install -D a n1/n2/n3; cat n1/n2/n3
install nope x
install a
install d e
install -t d a -v
install -d a
install a b nodir
install -vD a q1/q2
install -vd k1/k2
install -p a z; stat -c %y z
install a a
install -m zz a g
install -d -m 700 mm; stat -c %a mm
install a b d; ls d; stat -c %a d/a
install -v a b; cat b

#### what names its owners
#@ root
#@ before echo a>a; echo b>b; mkdir d e; echo x>d/x; ln -s nope dang; ln -s d ld; chmod 640 b; chmod 750 d; ln a hl; ln -s a la; touch -d '2020-01-02 03:04:05' a b d/x d
#@ each
install -o 5 -g 6 a own; stat -c "%u %g" own
