#### options and errors
#@ before mkdir d; echo hello > f; echo x > d/in; ln -s f l; ln -s nope dang; ln -s d ld; echo old > old; chmod +x old; touch 'a b' .hid; chmod 1777 d; head -c 10000 /dev/zero > big; touch -d '2020-01-02 03:04:05' old f big d/in 'a b' .hid d .
#@ each
ls
ls -a
ls -A
ls -F
ls -p
ls --file-type
ls -s
ls -R
ls d f
ls -d d f
ls ld
ls ld/
ls -S
ls -r
ls -m
ls -C
ls -x
ls -Q
ls nope d
ls nope
ls -L l
ls -LF dang
ls -lL dang
ls --sort=size
ls -X
ls -v
ls -B
ls -I "a*"
ls --hide="a*" -a
ls --hide="a*"
ls --group-directories-first
ls -U | sort
ls -f | sort
ls -C -w 20
ls -b
ls -N
ls -H ld
ls -F ld l old
ls ""
ls -w
ls --sort=foo
ls --foo
ls -Ss
ls -Ggo f
ls -h -s big
ls --color=never
ls --indicator-style=slash
ls -1
ls -t old d/in
ls d d
ls --format=commas
ls -- f
ls --all
ls --recursive d
ls -as d
dir
ls -T 4 -C -w 30
ls --quoting-style=shell
ls --quoting-style=shell-escape-always d
ls -1R d
ls f/
ls f/x
ls l/
ls dang/
ls -m -w 20

#### what names its owners
#@ root
#@ before mkdir d; echo hello > f; echo x > d/in; ln -s f l; ln -s nope dang; ln -s d ld; echo old > old; chmod +x old; touch 'a b' .hid; chmod 1777 d; head -c 10000 /dev/zero > big; touch -d '2020-01-02 03:04:05' old f big d/in 'a b' .hid d .
#@ each
ls -l f big old d
ls -l d
ls -lh f big
ls -ld ld/
ls -lQ "a b"
ls --full-time f
ls -l --time-style=long-iso f
ls -l --time-style=+%Y f
ls -l --time-style=iso f
ls -n f
ls -o f
ls -g f
ls -lG f
ls -ls f big
ls --si -l big
ls -lk big
ls -lL l
ls -lH ld
ls -Rl d
ls -l d nope
ls --author -l f
ls -l1 f
ls -Cl f
ls -nk big
ls -la d
ls -lt d
ls -lr f big
ls -l f nope d
ls --format=long f
ls -lhS big f
ls -dl .
ls -lA d
vdir d
ls -l --block-size=K big
