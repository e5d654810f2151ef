#### star, question mark, classes
touch a.txt b.txt ab.txt c.md; echo *.txt; echo ?.txt; echo [ab].txt; echo [!a]*.txt; echo [^b]*; echo [a-c].*

#### no match stays as it is
echo *.nothing "$(echo x*y)"

#### hidden files
touch .hidden seen; echo *; echo .h*; shopt -s dotglob; echo *

#### nullglob and failglob
shopt -s nullglob; echo *.nothing end; shopt -u nullglob; shopt -s failglob; echo *.nothing; echo $?

#### directories and slashes
#@ before mkdir -p d/e f; touch d/x d/e/y f/z
#@ each
echo */
echo */*
echo */*/*
echo d/[xe]
echo ./d/*

#### globstar
mkdir -p d/e; touch d/x d/e/y z; shopt -s globstar; echo **; echo **/*; echo d/**/y; echo **/

#### extended globs
touch a.txt b.md c.sh abab; shopt -s extglob
echo !(*.txt); echo @(a|b).*; echo *(ab); echo +(ab); echo ?(a|b).md; echo *.@(md|sh)

#### quoted parts are literal
touch 'a*b' aXb; echo a\*b a'*'b a*b; rm 'a*b'; ls

#### names with spaces
touch 'one two' three; for f in *; do echo "<$f>"; done; ls *\ *; set -- *; echo $#

#### the order of a glob
touch b a C B 10 9 _x; echo *

#### character classes
touch a1 b2 c_ D4; echo [[:alpha:]][[:digit:]]; echo [[:upper:]]*; echo *[![:alnum:]]

#### globs from a variable
touch x.log y.log; p='*.log'; echo $p "$p"; q=*.log; echo "$q"

#### no globs in assignments, quotes, case words
touch a b; x=*; echo "$x"; case * in '*') echo star;; esac

#### braces with a list
echo {a,b,c} x{1,2}y {a,b}{c,d} {,x} a{b,{c,d}}e

#### braces with a range
echo {1..5} {5..1} {a..e} {e..a} {0..10..3} {10..0..-5} {01..03} {-2..2} {a..i..4}

#### braces that are none
echo {a} {} a{b c} {1..} "{a,b}" \{a,b\} {a,b x,c} $'{x,y}'

#### braces with variables and quotes
x=1; echo {$x,2}{a,b} {"a b",c} {1..$x}; y='{a,b}'; echo $y

#### braces before globs
touch one.txt two.md; echo *.{txt,md,zip}; mkdir -p src/{a,b}/{c,d}; echo src/*/*; cp one.txt{,.bak}; ls

#### case patterns
for x in apple banana cherry 42 '' 'a b' '*'; do case $x in a*e) echo 1;; b?n*) echo 2;; [0-9]*) echo 3;; '') echo 4;; cherry|plum) echo 5;; "*") echo 6;; *) echo 7;; esac; done

#### falling through in case
for x in a b; do case $x in a) echo A;& b) echo B;; c) echo C;; esac; case $x in a) echo x;;& *) echo y;; esac; done

#### case with a leading parenthesis and no match
case x in (a) echo a;; (b|c) echo b;; esac; echo $?

#### case with extended patterns
shopt -s extglob
for x in foo.jpg foo.jpeg bar; do case $x in *.jp?(e)g) echo image;; !(foo*)) echo other;; esac; done

#### GLOBIGNORE
touch a b c; GLOBIGNORE=b; echo *

#### set -f turns globs off
touch a; set -f; echo *; set +f; echo *

#### a glob in a redirection and a command's name
touch only; echo x > onl*; ls; cat only

#### nocaseglob
touch ABC abc; shopt -s nocaseglob; echo a*

#### symlinks are matched, also broken ones
ln -s nowhere broken; mkdir d; touch d/f; ln -s d link; echo *; echo */f

#### globs in unreadable and missing directories
mkdir d; echo nope/* d/*; echo /etc/passw[d]

#### directories alone
mkdir 'a b' ü; touch file; for d in */; do echo "<$d>" "${d%/}"; done; dirs=(*/); echo ${#dirs[@]}; f() { local d=(*/ x); echo ${#d[@]} "${d[0]}"; }; f; ls -d */ | wc -l; echo nope*/; shopt -s nullglob; echo nope*/ end
