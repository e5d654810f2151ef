#### everything
#@ files project
#@ each
find . | sort
find src | sort
find src docs -maxdepth 1 | sort

#### names
#@ files project
#@ each
find . -name '*.js' | sort
find . -iname 'READ*' | sort
find . -name 'a*' -o -name 'b*' | sort
find . -not -name '*.*' | sort
find . ! -name '*.js' -type f | sort

#### paths
#@ files project
#@ each
find . -path './src/*' | sort
find . -path ./docs -prune -o -type f -print | sort
find . -regex '.*/[ab]\.js' | sort
find . -wholename '*lib*' | sort

#### types
#@ files project
#@ before ln -s src l
#@ each
find . -type d | sort
find . -type f | sort
find . -type l
find . -type f,l | sort

#### depth
#@ files project
#@ each
find . -maxdepth 1 | sort
find . -mindepth 2 | sort
find . -mindepth 1 -maxdepth 1 -type d | sort
find src -depth | tail -n 1

#### sizes
#@ files project
#@ before head -c 3000 /dev/zero > big
#@ each
find . -size +2k | sort
find . -type f -size -2 | sort
find . -empty | sort
find . -size 3000c
find . -type f -size 0

#### times
#@ files project
#@ before touch -d '2020-01-01' old; touch -d '2021-01-01' ref; touch new
#@ each
find . -newer ref -name '*.js' | sort
find . -mtime +30 | sort
find . -mmin -5 -type f
find . -type f ! -newer ref | sort
find . -newermt '2020-06-01' -name ref
find . -mtime -1 -type f

#### rights
#@ files project
#@ before chmod 600 docs/guide.md; chmod +x src/a.js
#@ each
find . -perm 600
find . -perm -u+x -type f
find . -perm /111 -type f
find . -type f -executable

#### exec
#@ files project
#@ each
find . -name '*.js' -exec echo found {} \; | sort
find src -name '*.js' -exec echo {} + | tr ' ' '\n' | sort
find . -name a.js -exec cat {} \;
find . -name '*.md' -exec sh -c 'echo "$(basename "$1")"' _ {} \; | sort

#### exec that fails
#@ files project
#@ each
find . -name a.js -exec false \; -print; echo $?
find . -name a.js -exec nosuch {} \;; echo $?
find . -name a.js -exec true \; -print
find src -name '*.js' -exec false {} +; echo $?

#### print0 and xargs
#@ files project
touch 'with space.js'; find . -name '*.js' -print0 | sort -z | xargs -0 -n 1 echo '>'; find . -name '*space*' -print0 | od -An -c

#### delete
#@ files project
find . -name '*.js' -delete; find . | sort; find docs -delete; ls; find nope -delete; echo $?

#### printf
#@ files project
find . -name '*.js' -printf '%f %s %m %y %p %P %h %d\n' | sort; find . -maxdepth 1 -type d -printf '%p\n' | sort; touch -d @86400 src/a.js; find . -name a.js -printf '%T@ %TY-%Tm-%Td %t\n'

#### links
#@ files project
ln -s src l; find l; find -L l | sort; find l/ | sort; find -H l -name a.js; ln -s nowhere broken; find . -xtype l

#### logic
#@ files project
#@ each
find . \( -name '*.js' -o -name '*.md' \) -type f | sort
find . -type f -and -name '*.md' | sort
find . -type f -name '*.js' -a -not -path '*lib*' | sort
find . -name nope , -name README.md
find . -false -o -name README.md

#### quit
#@ files project
find . -name '*.js' -print -quit | wc -l

#### what is not there
find nope; echo $?; find . nope -maxdepth 0; echo $?

#### bad expressions
#@ stderr any
#@ each
find . -nonsense; echo $?
find . -name; echo $?
find . -type x; echo $?

#### ls
#@ files project
find . -name a.js -ls | awk '{print $3, $7, $NF}'

#### without a path and sorted output
#@ files project
#@ each
find -name '*.md' | sort
find . -type f -name '*.js' | xargs wc -l | sort -n | tail -n 1
find . -type f | xargs ls -d | sort

#### samefile, links and users
#@ root
#@ before touch a; ln a b
#@ each
find . -samefile a | sort
find . -links 2 | sort
find . -user root -type f | sort
find . -uid 0 -name a
find . -inum $(stat -c %i a) | sort

#### xargs
#@ each
echo a b c | xargs
echo a b c | xargs -n 2
echo a b c | xargs -n2 echo x
printf 'a\nb c\n' | xargs -I{} echo '<{}>'
printf 'a\nb c\n' | xargs -I % echo %-%
printf 'a\0b c\0' | xargs -0 -n1 echo
printf 'a b\nc\n' | xargs -L 1 echo line
printf 'a,b' | xargs -d , echo

#### xargs quotes and empty input
#@ each
echo "a 'b c' \"d e\" f\\ g" | xargs -n 1
xargs echo x < /dev/null
xargs -r echo x < /dev/null
echo "a'b" | xargs; echo $?

#### exit codes of xargs
#@ each
echo a | xargs false; echo $?
echo a | xargs nosuch; echo $?
echo 1 2 | xargs -n 1 sh -c 'exit $0'; echo $?
echo a | xargs sh -c 'exit 255'; echo $?

#### xargs in parallel, traced, with a file
seq 4 | xargs -P 2 -n 1 echo | sort; echo a b | xargs -t -n 1 echo; seq 3 > f; xargs -a f echo; seq 3 | xargs -p echo < /dev/null 2>/dev/null; echo 1 2 3 | xargs --max-args=2 echo

#### xargs with a command that reads
seq 3 | xargs -I{} sh -c 'cat; echo {}'; echo x y | xargs -s 30 echo
