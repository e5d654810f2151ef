#### options and errors
#@ before printf 'a.b|c+d\n' > s; printf 'one two\ntwo three\nfour\n' > t; printf 'x\ty z\n' > tab; printf '{ print $2 }\n' > p.awk; mkdir d; printf 'two\n' > d/f; printf 'a^b[c]d\n' > m
#@ each
awk -F. '{print $2}' s
awk -F '|' '{print $2}' s
awk -F'+' '{print $2}' s
awk -F^ '{print $2}' m
awk -F'[' '{print $2}' m
awk -F']' '{print $2}' m
awk -F'[.|]' '{print $2}' s
awk -F '\t' '{print $2}' tab
awk -F'\\|' '{print $2}' s
awk 'BEGIN{FS="|"}{print $2}' s
awk -v FS=. '{print $2}' s
awk -v FS=. -v OFS=- '{$1=$1; print}' s
awk -vx=5 'BEGIN{print x}'
awk '{n=split($0,p,"."); print n, p[2]}' s
awk -f p.awk t
awk -F: -f p.awk t
awk '{$1=$1; print}' OFS=- t
awk 'BEGIN{FS=OFS="|"}{$1=$1; print $2; print}' s
awk 'BEGIN{OFS=FS="|"}{$1=$1; print $2; print}' s
awk -F'|' 'BEGIN{OFS=FS}{$1=$1; print}' s
awk -F. '{n=split($0,p); print n, p[1]}' s
awk '{n=split($0,p,"[.|]"); print n, p[2]}' s
awk -- '{print NR}' t
printf 'a,b\n' | awk -F , '{print $2}'
printf 'a|b\n' | awk -F'|' '{print $2}' -
grep -e one -e four t
grep -eone -efour t
grep --regexp=one --regexp four t
grep -F -e . -e + s
grep -E -e 'on+e' -e 'f.ur' t
grep -ie ONE t
grep -H one t
grep -Hn one t
grep --color=auto one t
grep --color=always -c two t | cat
grep -an one t
grep --line-buffered one t
grep '\<tw' t
grep 'o\>' t
grep x nofile
grep one t nofile
grep -s one t nofile
grep -q one t nofile
grep one d
grep -r two d
grep -rn two d t | sort
grep -1 two t
grep -A1 one t
grep -c two t
grep -cH two t d/f
grep -o 'tw.' t
grep nothing t
grep -v two t
grep -m1 two t
grep -- two t
printf 'a\n-b\n' | grep -e -b
grep --max-count=1 --line-number two t
grep -w two -c t
grep -rl two d
grep -r --include='*.x' two d
printf 'q\n' | grep -H q
sed -i.bak s/one/ONE/ t; cat t t.bak
sed --in-place=.o s/one/ONE/ t; cat t t.o
sed -i s/one/1/ t; cat t
sed -n -e /two/p t
sed --expression=s/two/2/ t
sed -s s/two/2/ t
sed -i -e 1d -e s/t/T/ t; cat t
sed -ne 1p t
sed -nE 's/(t)wo/\1/p' t
sed -u 1d t
sed --quiet 2p t
sed -i'old_*' 1d t; cat t old_t
