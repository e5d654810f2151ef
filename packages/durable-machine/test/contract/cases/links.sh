#### options and errors
#@ before echo t > t1; mkdir p; ln -s t1 s1; ln -s nope dang; ln -s p lp
#@ each
ln
ln t1
ln p q
ln -s p q; readlink q
ln -s x p; ls p
ln -sf x lp; readlink p/x
ln -sfn z lp; readlink lp
ln -sT w p
ln t1 t2; stat -c %h t2
ln t1 s1
ln -f t1 s1; stat -c %h s1
ln -v t1 t3
ln -sv t1 t4
ln nope z
ln -s a b c p; ls p
ln t1 s1 cc
ln -s -t p k1 k2; ls p
ln -sr t1 p/r; readlink p/r
ln s1 t5; stat -c %F t5
ln -L s1 t6; stat -c %F t6
ln -P s1 t7; stat -c %F t7
ln t1 t1
ln -f t1 t1
ln -s '' e
ln -s t1 nodir/x
ln -s x t1/y
ln -s a a; readlink a
ln t1 p; ls p
ln -s /abs/path q; readlink q
ln -s t1 t1
ln -sf t1 t1
ln dang d2; stat -c %F d2
ln --symbolic t1 q; readlink q
ln -sfT new lp; readlink lp
ln -i -s x s1 < /dev/null; readlink s1
ln -s p/ q; readlink q
ln -sn x lp
ln -sv x y p
readlink
readlink t1
readlink s1 t1 s1
readlink -n s1
readlink -f s1 nope nope/x
readlink -e nope
readlink -v t1
readlink -m x/y/../z
realpath
realpath s1 nope no/x
realpath -e nope
realpath -s s1
realpath --relative-to=p s1
realpath -m q/w/e
realpath -q no/x
readlink -f dang
readlink -f lp/x
realpath dang
readlink -e s1
realpath .
realpath p/../t1
realpath -z t1 | wc -l
readlink -f .
readlink -f t1/x
readlink nope
ln -s loop loop; readlink -f loop; cat loop
realpath --relative-base=. t1 /usr
