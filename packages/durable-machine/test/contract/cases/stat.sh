#### options and errors
#@ before mkdir d; echo hello > f; echo x > d/in; ln -s f l; ln -s nope dang; ln -s d ld; echo old > old; chmod +x old; touch 'a b' .hid; chmod 1777 d; head -c 10000 /dev/zero > big; touch -d '2020-01-02 03:04:05' old f big d/in 'a b' .hid d .
#@ each
stat -c '%Y|%y' f d
stat -c '[%5s][%-5s][%05s][%10n][%.3n][%#a][%.3Y][%.0Y]%%\n%q' f
stat --printf '%n\t%s\n' f d
stat -L -c %F l dang
stat -c %y nope f
stat -Lc %N l
stat -c '%' f
stat -c 'a%' f
stat --format=%n f
stat
stat nope
stat -c %n -- -x
stat /dev/null -c %F,%t,%T,%A
stat --printf='\101\x41\\\n' f
stat -c %s f d/in
stat -c "%s %n" *
stat -f -c %n f
stat -c %F ld ld/
stat f | head -2
stat l | head -2
stat f/x
stat -c %a d
stat -q f

#### what names its owners
#@ root
#@ before mkdir d; echo hello > f; echo x > d/in; ln -s f l; ln -s nope dang; ln -s d ld; echo old > old; chmod +x old; touch 'a b' .hid; chmod 1777 d; head -c 10000 /dev/zero > big; touch -d '2020-01-02 03:04:05' old f big d/in 'a b' .hid d .
#@ each
stat -c '%n|%N|%s|%a|%A|%f|%F|%h|%u|%U|%g|%G|%b|%B|%o|%m|%t|%T' f l d old dang 'a b' big
stat f | sed -n 4,6p
