#### options and errors
#@ before mkdir -p d/s p/q; touch d/x d/s/y a b p/q/z p/w; echo t > t; ln -s nope l; ln -s d ld; mkdir em
#@ each
rm d
rm -d d
rm nope
rm -f nope
rm l -v
rm
rm -f
rm -dv em
rm .
rm -r .
rm -r ..
rm -r /
rm ""
rm a/
rm -r a/x
rm -rv b nope
rm -rv p
rm -i b < /dev/null
echo n | rm -i b; ls b
echo y | rm -i b; ls b
rm -I b
rm -q
rm -r ld/
rm ld; ls d
rm -rf d p; ls
rm a b d; ls
rm -v a b
rm -- a
rm --recursive d; ls
rm -f a nope b; ls
rm em
rm -i t < /dev/null
rm -rf nope d/nope
rm t/x
rm -f t/x
rm -fr ""
rmdir
rmdir d
rmdir em; ls
rmdir p/q
rmdir a
rmdir nope
rmdir --ignore-fail-on-non-empty d; echo $?
rmdir .
rmdir -v em
mkdir -p n/m/o; rmdir -p n/m/o; ls
mkdir -p d/k; rmdir -p d/k
rmdir ld
mkdir
mkdir a
mkdir n/m
mkdir -pv n/m/o
mkdir a/x
mkdir -p a/x
mkdir -p a
mkdir -m 700 m; stat -c %a m
mkdir -m u=rwx,g= m; stat -c %a m
mkdir -m zz q
mkdir -v k
mkdir -p -m 700 r/s; stat -c %a r r/s
mkdir d
mkdir -p d
mkdir x y d
mkdir -p ld/new; ls d
mkdir em/
mkdir zz/; ls -d zz
umask 077; mkdir um; stat -c %a um
mkdir -p x/../y; ls
