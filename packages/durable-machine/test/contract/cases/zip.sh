#### files, modes and times
#@ needs zip unzip
mkdir -p d/e; printf 'a\na\na\n' > d/a; seq 50000 > d/e/n; chmod 750 d/a; touch -d '2024-05-06 07:08:10' d/a d/e/n d/e d; zip -qr a.zip d; unzip -l a.zip | sort; mkdir o; unzip -q a.zip -d o; diff -r d o/d && echo same; stat -c '%a %Y' o/d/a; unzip -p a.zip d/a; unzip -qo a.zip -d o; echo $?; unzip -qn a.zip -d o; echo $?; unzip -qj a.zip 'd/e/*' -d k; ls k; rm *.zip

#### names, junked paths and exclusions
#@ needs zip unzip
mkdir d; echo x > d/é.txt; echo y > 'd/b c'; zip -q -j j.zip d/*; unzip -l j.zip | tail -n 1; zip -qr x d -x '*/b*'; unzip -l x.zip | awk '{print $4}' | sort; rm -r d; unzip -q x; cat d/é.txt; zip -r - d 2>/dev/null > s.zip; unzip -p s.zip; rm *.zip

#### errors
#@ needs zip unzip
unzip nope.zip; echo $?; echo junk > j.zip; unzip -q j.zip 2>/dev/null; echo $?; zip -q n.zip nope; echo $?
