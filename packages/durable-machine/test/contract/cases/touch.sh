#### options and errors
#@ before echo t > f; touch -d '2020-01-02 03:04:05' f; ln -s f l
#@ each
touch -d '2020-01-02T03:04:05' f; stat -c %y f
touch -d '2020-01-01 10:00 +0200' f; stat -c %y f
touch -d '@100' f; stat -c %y f
touch -d '1999-01-01' f; stat -c %y f
touch -d 'Jan 5 2001 3pm' f; stat -c %y f
touch -d '2020-02-30' f; stat -c %y f
touch -d 'garbage' f; stat -c %y f
touch -d '2001-02-03 04:05:06.789' f; stat -c %y f
touch -d '20200304' f; stat -c %y f
touch -d '2020-01-01T00:00:00Z' f; stat -c %y f
touch -d '1 Jan 2020' f; stat -c %y f
touch -d 'Mon, 06 Jan 2020 07:08:09 +0000' f; stat -c %y f
touch -d '2020-01-01 12:00:00 UTC' f; stat -c %y f
touch -d '12/25/2021' f; stat -c %y f
touch -d '25 Dec 2021 10:11' f; stat -c %y f
touch -d 'Dec 25 2021 10:11:12' f; stat -c %y f
touch -d '2020-01-01 + 1 day' f; stat -c %y f
touch -d '2020-01-01 3 days ago' f; stat -c %y f
touch -d '2020-01-31 1 month ago' f; stat -c %y f
touch -d '@1.5' f; stat -c %y f
touch -d 'Sat Jan  4 10:20:30 UTC 2020' f; stat -c %y f
touch -d '2020-06-01 1 week' f; stat -c %y f
touch -d '2020-01-01 12:30pm' f; stat -c %y f
touch -d '2021-13-01' f; stat -c %y f
touch -d '2020-01-01 25:00' f; stat -c %y f
touch -t 202001020304.05 f; stat -c %y f
touch -t 9901020304 f; stat -c %y f
touch -t 99 f
touch -r f g; stat -c %y g
touch -c nope; ls nope
touch nodir/x
touch
touch -a -d 1999-01-01 f; stat -c %y f
touch -m -d 1999-01-01 f; stat -c %y f
touch -r nope f
touch .
touch f/
touch n1 n2; ls
touch -d 2000-01-01 l; stat -c %y f
touch -- -x; ls
touch ""
umask 077; touch u; stat -c %a u
touch -d yesterday f; test f -ot / ; echo $?
touch nd/
