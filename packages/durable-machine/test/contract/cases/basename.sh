#### options and errors
#@ before :
#@ each
basename /usr/bin/sort
basename a/b.txt .txt
basename a/b/
basename /
basename //
basename ''
basename .txt .txt
basename -s .h a/x.h b/y.h c
basename -a a/b c/d
basename --suffix=.c x.c
basename -az a/b c/d
basename
basename a b c
basename -q
basename "a b/c d"
basename x ''
dirname /usr/bin/sort
dirname a/b/ c /d //e a//b/// / // '' .
dirname -z a/b c
dirname
dirname -q
dirname é/ü
