#### options and errors
#@ before touch f g; mkdir d; ln -s f l; ln -s nope dang; chmod 644 f; chmod 755 d
#@ each
chmod
chmod 644
chmod 999 f
chmod u+x f; stat -c %a f
chmod -v 600 f
chmod -v 644 f
chmod -c 600 f
chmod +w f; stat -c %a f
chmod -w f; stat -c %a f
chmod a-r,u+rw f; stat -c %a f
chmod 4755 f; stat -c %A f; chmod 755 f; stat -c %A f
chmod 2755 d; chmod 755 d; stat -c %A d; chmod 00755 d; stat -c %A d
chmod u=g f; stat -c %a f
chmod g+s,+t d; stat -c %A d
chmod -R 700 .; stat -c "%a %n" . f d
chmod nope
chmod 644 nope
chmod 644 dang
chmod -f 644 nope
chmod -R u+X d f; stat -c "%a %n" d f
chmod --reference=f d; stat -c %a d
chmod -x f
chmod =r f; stat -c %a f
chmod ugo= f; stat -c %a f
chmod 1777 d; stat -c %A d
chmod u+ f
chmod -rwx f; stat -c %a f
chmod u+q f
chmod o=u,g-w f; stat -c %a f
chmod a+x,u-x f; stat -c %A f
chmod ug+rw,o-rwx f; stat -c %a f
chmod 07777 d; stat -c %A d
chmod 8 f
chmod 77777 f
chmod -vR u+w d
chmod u=rwxs f; stat -c %A f
chmod 6755 d f; chmod ug=rx d f; stat -c %A d f
chmod 6755 d; chmod a=rx d; stat -c %A d
chmod 6755 d; chmod g= d; stat -c %A d
chmod 6755 d; chmod g=s d; stat -c %A d
chmod +x l; stat -c %a f l
chmod =t d; stat -c %A d
chmod u=rX,g=rX d f; stat -c %A d f
chmod -- -x f; stat -c %a f
chmod +rx,-w f; stat -c %a f
chmod o+t d; stat -c %A d; chmod o=rx d; stat -c %A d
chown
chown root
chown root:nope f
chown nope f
chown root nope
chown 4294967299 f
chgrp
chgrp nope f
chown root dang
chown -f 5 nope

#### what names its owners
#@ root
#@ before touch f g; mkdir d; ln -s f l; ln -s nope dang; chmod 644 f; chmod 755 d
#@ each
chmod -R 644 d/. nope
chown -v 0:0 f
chown -h 5 l; stat -c %u l f
chown 5:6 f; stat -c %u:%g f
chown 7: f; stat -c %u f
chown -R 5 d; stat -c %u d
chgrp -v root f
chgrp 9 f; stat -c %g f
chown 5 f; chown --reference=f g; stat -c %u g
chown --from=5 6 f; stat -c %u f
chown -v root: f
chown 5 l; stat -c %u f l
chown -c root f
chown "" f; stat -c %u f
mkdir t; ln -s t tl; chown -R 5 tl; stat -c "%n %u" t tl; chown -RH 6 tl; stat -c "%n %u" t tl
