#### ls
#@ before touch b a .h; mkdir d
#@ each
ls
ls -a
ls -A
ls -1
ls -d d
ls a d
ls -r
ls -F
ls -p

#### ls of several directories
#@ before mkdir x y; touch x/1 y/2 f
#@ each
ls x y
ls f x
ls -R

#### ls of what is not there
ls nope; echo $?; touch a; ls a nope; echo $?

#### ls -l
#@ root
echo hello > f; mkdir d; ln -s f l; chmod 640 f; chmod 1777 d; touch -d '2020-01-02 03:04' f d; touch -h -d '2020-01-02 03:04' l; ls -l | tail -n +2 | sed 's/\(drwx.*root \) *[0-9]* /\1N /'

#### ls -l of a recent file
#@ root
touch -d '2 hours ago' f; ls -l f | awk '{print $1, $2, $3, $4, $5, NF, $9}'; ls -l --time-style=+%Y f | wc -w

#### ls -l of modes
#@ root
for m in 000 111 222 444 777 4755 4644 2755 2644 1777 1666 7777; do touch f$m; chmod $m f$m; done; touch -d @0 f*; ls -l f*

#### ls -l aligns its columns
#@ root
printf '%0100d' 0 > big; touch -d '2021-05-06 07:08' s big; ln big l; touch -d '2021-05-06 07:08' big; ls -l s big l

#### ls -n and -g and -o
#@ root
touch -d '2019-12-31 23:59' f; ls -n f; ls -g f; ls -o f; ls -lG f

#### ls by time and size
touch -d @100 old; touch -d @300 new; touch -d @200 mid; ls -t; ls -tr; printf aaa > b3; printf a > b1; printf aa > b2; ls -S b*; ls -Sr b*; ls -X; ls -U | sort

#### ls -h and -s
#@ root
head -c 2048 /dev/zero > k2; head -c 1500000 /dev/zero > m; touch -d @0 k2 m; ls -lh k2 m; ls -l --block-size=K k2

#### ls -i
touch a; [ "$(ls -i a)" = "$(stat -c '%i %n' a)" ] && echo same

#### ls of a link to a directory
#@ before mkdir d; touch d/f; ln -s d l
#@ each
ls l
ls -d l
ls l/
ls -L l

#### ls -F and classify
#@ root
mkdir d; touch x f; chmod +x x; ln -s f l; ls -F; ls -lF --time-style=+ | tail -n +2 | awk '{print $1, $NF}'

#### ls -m and -x and -C in a pipe
#@ before touch a b c
#@ each
ls -m
ls -C
ls -x
ls -w 5 -C

#### ls of names to quote
#@ before touch 'a b' "c'd" 'e"f' 'g$h'
#@ each
ls
ls -Q
ls --quoting-style=shell
ls -b

#### ls -v sorts versions
touch f1 f10 f2 f9; ls; ls -v

#### ls --group-directories-first and --hide
#@ before mkdir z; touch a b.o
#@ each
ls --group-directories-first
ls -I '*.o'
ls --hide='a'
ls -B

#### ls of an unknown option
#@ stderr any
ls --nonsense; echo $?

#### stat of a file
#@ root
printf hello > f; chmod 640 f; touch -d '2020-01-02 03:04:05.678' f; stat -c '%n %s %a %A %F %h %u %g %U %G %Y %y' f; stat -c '%f %t %T' f

#### stat of other types
#@ before mkdir d; ln -s d l; touch e
#@ each
stat -c '%F|%n|%N' d l e
stat -L -c '%F' l
stat -c %F /dev/null
stat -c '%%|%s|\n' e
stat --printf '%s\n%n' e; echo
stat --format=%h d

#### stat of what is not there
stat nope; echo $?; stat -c %s nope; echo $?

#### stat of several
touch a b; stat -c '%n' a nope b; echo $?

#### the long form of stat
#@ root
printf hi > f; touch -d '2020-01-02 03:04:05' f; stat f | sed -n '1p;4p'; stat f | sed -n 's/^Modify: //p;s/^  Size: \([0-9]*\).*/\1/p'

#### stat -t and -f
touch f; stat -t f | wc -w; stat -f -c '%n' f

#### file
#@ needs file
#@ before echo text > t; printf '#!/bin/bash\n' > s; touch e; mkdir d; ln -s t l; printf '\211PNG\r\n\032\n' > p
#@ each
file t s e d
file -b t
file nope
file l

#### wc of files
#@ files fruits.txt numbers.txt
#@ each
wc fruits.txt
wc -l fruits.txt numbers.txt
wc -w < fruits.txt
wc -c fruits.txt
wc -m fruits.txt
wc -L fruits.txt
cat fruits.txt | wc
wc nope; echo $?
wc -l fruits.txt nope; echo $?

#### wc of utf-8 and no newline
#@ each
printf 'größe' | wc -c
printf 'größe' | wc -m
printf 'a b\nc' | wc -l
printf 'a b\nc' | wc
printf '' | wc

#### tree
#@ needs tree
#@ before mkdir -p a/b; touch a/f a/b/g h
#@ each
tree
tree -L 1
tree -d
tree -a a

#### df
#@ each
df . > /dev/null; echo $?
df -h / | head -n 1 | awk '{print $1}'
df nope; echo $?
