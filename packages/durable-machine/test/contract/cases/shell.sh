#### options and errors
#@ before mkdir d e; touch d/x f; chmod 666 f; echo t > 'sp ace'; ln -s d ld
#@ each
umask 077; mkdir um; stat -c %a um
umask 077; touch u; stat -c %a u
umask 027; cp f g; stat -c %a g
umask 077; mkdir -p a/b; stat -c %a a a/b
umask 0; mktemp -p d tXXX > /dev/null; stat -c %a d/t*; rm d/t*
umask 077; chmod +w f; stat -c %a f
umask 077; chmod =rx f; stat -c %a f
umask 007; install f i; stat -c %a i
umask 077; truncate -s 3 tr; stat -c %a tr
umask 077; dd if=f of=o status=none; stat -c %a o
umask 077; tar cf t.tar d; stat -c %a t.tar
umask 077; ln -s f s; stat -c %a s
echo d/*
cat sp*
cp f d && ls d
rm -r d && ls
if cmp -s f d/x; then echo same; fi
x=$(wc -l < "sp ace"); echo $x
ls | head -n 2
cat f nope 2>/dev/null || echo failed
ls nope 2>&1 | cat
touch a{1,2,3}; ls a?
stat -c %s "sp ace" f
seq 3 | tail -n +2 | wc -l
find . -name "sp*" -exec cat {} +
find d -type f | xargs ls
cp -v f e | cat; mv -v e/f e/g | cat
while read -r name; do stat -c %F "$name"; done < <(ls)
cat /dev/stdin < "sp ace"
tee copy < "sp ace" | wc -c; cat copy
for f in d/*; do rm "$f"; done; ls d
yes | head -n 3 | wc -l
cat nope | wc -l; echo ${PIPESTATUS[0]}
set -e; ls nope; echo never
ls -l nope || echo $?
command -v ls > /dev/null && echo found
env cat "sp ace"
timeout 5 cat "sp ace"
nohup cat "sp ace" 2>/dev/null
ls $(echo d)
wc -c "sp ace" | (read n name; echo $n)
cat - "sp ace" <<< first
mkdir x && cd x && touch y && ls ../x
cd d; cp x ../z; ls ..
cd ld; realpath .; ls ..

#### options and errors, with xxd
#@ needs xxd
#@ before mkdir d e; touch d/x f; chmod 666 f; echo t > 'sp ace'; ln -s d ld
#@ each
head -c 3 < "sp ace" | xxd -p
cat <<< hi | xxd -p
