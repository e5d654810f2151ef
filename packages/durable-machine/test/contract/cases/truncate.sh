#### options and errors
#@ before printf 'a\nb\n' > a; printf xyz > b; mkdir d
#@ each
truncate
truncate -s
truncate a
truncate -s 10 /nope/f
truncate -s +5 a; wc -c a
truncate -s -3 a; wc -c a
truncate -c -s 1 nnn; ls
truncate -s 1K -r a b
truncate -r a b; wc -c b
truncate -s %4 b; wc -c b
truncate -s '<3' a; wc -c a
truncate -s '>30' a; wc -c a
truncate -s 5 d
truncate -s q a
truncate -s 2K a; wc -c a
truncate -s 0 a; wc -c a
truncate -s /3 a; wc -c a
truncate --size=2 a b; wc -c a b
sync nope
sync --foo
sync
nohup
nohup nope-x
nohup echo hi
echo in | nohup cat
mkfifo
shuf -n q
shuf -i 1-5 | sort
shuf -e a b c | sort
seq 5 | shuf | sort
shuf -i 1-3 -n 2 | wc -l
shuf -r -n 4 -e x
shuf -i 5-1
shuf -n 0 a
shuf nope
shuf a b
shuf -i 1-3 -o out; sort out; rm out
yes | head -2
yes a b | head -n 1
yes --z
yes | head -c 5
uname
uname -s
uname -m
uname -o
uname -x
uname -sm
uname q
uname -so
id root
id nope
id -n
id -ug
groups root
groups nope
whoami x
nproc x
nproc --ignore=100
which
which nope-x
which sh
which -a nope-x ls | head -1
hostname -x 2>&1 | head -1

#### options and errors, with xxd
#@ needs xxd
#@ before printf 'a\nb\n' > a; printf xyz > b; mkdir d
#@ each
truncate -s 1 new; xxd new
truncate -s 8 a; xxd a

#### what names its owners
#@ root
#@ before printf 'a\nb\n' > a; printf xyz > b; mkdir d
#@ each
whoami
id
id -u
id -un
id -gn
id -Gn
groups
