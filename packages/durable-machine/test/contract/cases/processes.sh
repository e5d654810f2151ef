#### a subshell keeps its changes
x=1; (x=2; cd /; echo $x); echo $x; [ "$PWD" != / ] && echo stayed

#### exit codes wrap around
for c in 0 1 2 126 127 128 255 256 300 -1; do (exit $c); echo -n "$? "; done; echo

#### exit 300
exit 300

#### exit with a word
#@ stderr any
exit abc

#### exit without a code
false; exit

#### a command that is not there
nosuchcommand a b; echo $?

#### a path that is not there
./nosuch; echo $?; /nosuch/x; echo $?

#### exit code of the last command
echo a; false

#### exec replaces the shell
exec echo replaced; echo never

#### exec of what is not there
exec nosuchcommand; echo never

#### exec in a subshell
(exec printf 'sub %s\n' x); echo after

#### an argv without a shell
#@ argv ["printf", "[%s]", "a b", "", "*", "$HOME", "it's", "x\ny", "\\n", "-"]

#### an argv that needs no quoting
#@ argv ["echo", "a;b", "|", "&&", "$(id)", "`id`", "~"]

#### a program that fails
#@ argv ["cat", "nope"]

#### the directory it starts in
#@ argv ["pwd"]

#### a program by its path
#@ argv ["/bin/echo", "hi"]

#### a script by its path
#@ argv ["bash", "-c", "echo \"$1|$2\"; exit 9", "sh", "a b", ""]

#### environment given to a process
#@ env GREETING=hello there
#@ env EMPTY=
echo "$GREETING" "[$EMPTY]" ${EMPTY-unset}; bash -c 'echo $GREETING'; env | grep -E '^(GREETING|EMPTY)=' | sort

#### environment of a program
#@ env A=b c
#@ argv ["printenv", "A"]

#### export
x=1; export y=2; bash -c 'echo "[$x] [$y]"'; export x; bash -c 'echo $x'; export -n y; bash -c 'echo "[$y]"'; z=3 bash -c 'echo $z'

#### env
env -i A=1 B=2 env | sort; A=1 env -u A bash -c 'echo ${A-none}'; env X=y bash -c 'echo $X'; env nosuch; echo $?; env false; echo $?

#### the environment of another program
#@ each
env -i B=2 env
env -i env; env -i printenv | wc -l; env - B=2 env; env -i -- A=1 printenv
env -i PATH=/usr/bin:/bin printenv; env -i HOME=/x bash -c 'echo "$HOME ${USER-none} ${A-none}"'
env -i bash --norc -c 'echo "${USER-none} ${LANG-none}"; printenv PATH; echo $?'
export A=1; env -u A bash -c 'echo "${A-none}"'; env -u HOME printenv HOME; echo $?; env -u A -u HOME A=2 printenv A HOME; echo $?
A=5; env | grep -c ^A=; export A; env | grep ^A=; env A= printenv A; env A='b c' printenv A
printenv OLDPWD; echo "${OLDPWD-none}"; cd /; cd /tmp; printenv PWD; echo "$OLDPWD"; cd -; printenv PWD
unset HOME; env | grep -c ^HOME=; bash --norc -c 'echo "${HOME-none}"'; (echo "${HOME-none}") & wait
export -n PWD; env | grep -c ^PWD=; xargs -n1 env A=1 printenv <<< A; timeout 9 printenv HOME > h; test -s h; echo $?

#### printenv
export A=1; printenv A; printenv NOPE; echo $?

#### background and wait
(echo a; exit 3) & wait $!; echo $?; true & wait; echo $?

#### jobs run side by side
s=$(date +%s%N); sleep 1 & sleep 1 & sleep 1 & wait; e=$(date +%s%N); [ $(( (e - s) / 1000000 )) -lt 2800 ] && echo together

#### jobs write to files
for i in 1 2 3; do (echo job $i > out$i) & done; wait; cat out1 out2 out3

#### wait for each job
for c in 3 0 5; do (exit $c) & p[c]=$!; done; for c in 3 0 5; do wait ${p[c]}; echo $?; done

#### wait -n
(sleep 0.3; exit 4) & (exit 6) & wait -n; echo $?; wait -n; echo $?

#### wait for what is no child
#@ stderr any
wait 999999; echo $?

#### the shell goes on beside a job
{ sleep 0.3; echo job; } & echo shell; wait; echo end

#### a job's input is empty
cat & wait; echo $?

#### killing a job
sleep 30 & kill $!; wait $! 2>/dev/null; echo $?

#### killing with a signal
sleep 30 & kill -9 $!; wait $! 2>/dev/null; echo $?; sleep 30 & kill -s TERM $!; wait $! 2>/dev/null; echo $?

#### kill -0 and a process that is not there
#@ stderr any
sleep 30 & kill -0 $! && echo lives; kill $!; wait $! 2>/dev/null; kill -0 $!; echo $?; kill 999999; echo $?

#### names of signals
#@ each
kill -l 9
kill -l 143
kill -l TERM

#### jobs and disown
sleep 0.2 & jobs | sed 's/  */ /g'; wait

#### trap on exit
trap 'echo bye $?' EXIT; echo hi; exit 3

#### trap on exit by the end and by an error
bash -c 'trap "echo bye" EXIT; false'; echo $?; bash -c 'set -e; trap "echo bye \$?" EXIT; false; echo never'; echo $?

#### an exit trap may change the code
bash -c 'trap "exit 7" EXIT; exit 1'; echo $?

#### an exit trap in a subshell
(trap 'echo sub' EXIT; echo in); echo out; trap 'echo main' EXIT; (echo no trap here)

#### trap reset and list
trap 'echo a' EXIT; trap - EXIT; trap 'echo b' USR1; trap; trap -p EXIT; echo done

#### trap on ERR
trap 'echo "err $?"' ERR; false; (exit 4); true; if false; then :; fi; echo end

#### trap on a signal
trap 'echo caught' TERM; kill $$; echo went on; trap '' INT; kill -INT $$; echo ignored

#### trap on DEBUG and RETURN
f() { trap 'echo returned' RETURN; echo in f; }; f; echo end

#### a signal without a trap ends the shell
#@ stderr any
bash -c 'kill $$; echo never'; echo $?; bash -c 'kill -9 $$'; echo $?

#### an exit trap after a signal
bash -c 'trap "echo cleaned" EXIT; kill $$; echo never' ; echo $?

#### timeout
#@ stderr any
#@ each
timeout 0.2 sleep 5; echo $?
timeout 5 echo quick; echo $?
timeout 5 false; echo $?
timeout -s KILL 0.2 sleep 5; echo $?

#### timeout of what is not there
timeout 1 nosuch; echo $?

#### nested shells
#@ each
bash -c 'bash -c "echo \$((1+1)); exit 3"; echo $?'
sh -c 'echo $0 $1' a b
bash -c 'echo "$@"' x 1 '2 3'

#### a shell reads its script from its input
#@ each
echo 'echo piped $((2*3)); exit 4' | bash; echo $?
bash <<< 'echo here'
bash -s a b <<< 'echo $# $2'
printf 'read x\nhello\necho got $x\n' | bash

#### commands of a here-document
bash <<'END'
for i in 1 2; do echo "line $i"; done
exit 3
END
echo $?

#### command -v and type
command -v cd; command -v ls; command -v nosuch; echo $?; f() { :; }; command -v f; type -t cd ls f if nosuch; type f; type cd

#### which
which ls nosuch; echo $?

#### xargs with a shell
printf '1 2\n3\n' | xargs -n 1 bash -c 'echo "<$0>"'; echo a b | xargs sh -c 'echo $# $1' sh

#### pwd and cd
mkdir -p a/b; cd a/b; echo ${PWD##*/}; cd ..; echo ${PWD##*/}; cd - | sed 's,.*/,,'; cd; [ "$PWD" = "$HOME" ] && echo home; cd nope; echo $?

#### cd through a symlink
mkdir -p real/in; ln -s real link; cd link; echo ${PWD##*/}; pwd -P | sed 's,.*/,,'; cd in/..; echo ${PWD##*/}; cd -P .; echo ${PWD##*/}

#### cd into a file and CDPATH
touch f; cd f; echo $?; mkdir -p p/q; CDPATH=p; cd q > /dev/null; echo ${PWD##*/}

#### pushd and popd
mkdir a b; pushd a > /dev/null; pushd ../b > /dev/null; echo ${PWD##*/}; popd > /dev/null; echo ${PWD##*/}; popd > /dev/null; dirs | wc -l

#### process ids
[ $$ -gt 0 ] && (echo $$) | grep -c "^$$\$"; [ $BASHPID = $$ ] && echo same; ( [ $BASHPID != $$ ] && echo other ); sleep 0 & [ $! -gt 0 ] && echo job; wait

#### SHLVL and BASH_SUBSHELL
(echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL)); echo $BASH_SUBSHELL

#### umask
umask; umask 077; touch f; mkdir d; stat -c '%a %n' f d; umask 022; umask -S; touch g; stat -c %a g; (umask 0; touch h); stat -c %a h

#### ulimit
ulimit -n > /dev/null && echo known

#### sleep
#@ each
sleep 0
sleep 0.1s
sleep 0.01 0.01; echo $?
sleep abc; echo $?
sleep; echo $?

#### hash and times
hash -r; echo $?; times > /dev/null; echo $?

#### nohup and nice
#@ stderr any
#@ each
nohup echo a
nice -n 5 echo b
nice echo c

#### a pipeline's exit code is the last one's
#@ each
false | true; echo $?
true | false; echo $?
! false | false; echo $?
exit 3 | exit 4; echo $?

#### a variable set in a subshell of a pipe
echo x | (read -r y; echo "in $y"); echo "out ${y-none}"

#### a negated command
! nosuch 2>/dev/null; echo $?

#### output order of a pipe's errors
ls nope fruits 2>/dev/null; echo $?; (ls nope) 2>&1 | sed 's/^/> /'
