#### single quotes keep everything
echo 'a $b `c` "d" \e'

#### double quotes expand and keep white space
b='x   y'; echo "a $b `echo c` \"d\" \$b \`e\` \\"

#### a backslash quotes one character
echo a\ b \$HOME \"x\" \\ \' a\
b

#### quotes side by side make one word
printf '<%s>' a"b c"'d e'f\ g; echo

#### ansi-c quotes
printf '%s' $'tab\there\nbell\a\x41\u00e4\101\e[0m\'\\' | od -An -c

#### empty words are words
printf '<%s>' '' "" $'' a""; echo

#### an unset variable unquoted is no word
set -- $nope "$nope" ''; echo $#

#### a quoted newline stays
x='one
two'; echo "$x"; echo $x

#### dollar before nothing special is a dollar
echo "$" $ "a$ b" "$%" 5$

#### exclamation marks mean nothing in scripts
echo "hi!" hi! 'a!b' !

#### a backslash before a newline in double quotes joins lines
echo "one \
two"

#### a backslash before an ordinary character in double quotes stays
echo "\a \n \x" | cat

#### a locale-translated string is a double-quoted one
x=3; echo $"a $x"

#### comments begin at a word only
echo a#b #c
echo d # e

#### utf-8 text passes as it is
echo 'grüße 世界 🎉' "é"; x=世界; echo ${#x} ${x:1}

#### quotes nest in a substitution
echo "a $(echo "b $(echo "c  d")")"

#### quotes in a default value
echo ${nope:-"a  b"} "${nope:-'a'  b}" ${nope:-a  b}

#### an unterminated quote is a syntax error
#@ stderr any
bash -c 'echo "abc'; echo $?

#### a word of quoted glob characters is not a pattern
#@ files fruits.txt
echo "*" '*' \* *.txt

#### printf %q quotes for a shell
printf '%q\n' 'a b' "it's" '' plain '$x' 'tab	x' 'a;b' '*'

#### at-Q quotes for a shell
x="it's  a b"; echo "${x@Q}"
