#### options and errors
#@ before mkdir d; ln -s . d/a; echo x > d/f; ln -s ../d d/f2
#@ each
cp -rL d e; ls -R e
ls -RL d
cp -r d e; readlink e/a e/f2
ls -R d
rm -r d; ls
chmod -R 700 d; stat -c %a d
tar cf t.tar d --sort=name; tar tf t.tar

#### what names its owners
#@ root
#@ before mkdir d; ln -s . d/a; echo x > d/f; ln -s ../d d/f2
#@ each
ln -s x y; ln -s y x; cat x; ls x; cp x z; stat -L x; ls -l x | cut -c 1-24; wc x; touch d/f/x; touch x
