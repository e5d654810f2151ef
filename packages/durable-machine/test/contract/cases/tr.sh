#### options and errors
#@ before printf 'Hello  World\n\nx\t1\n' > f; printf '\303\251\377\0a' > b
#@ each
tr a-z A-Z < f
tr '[:lower:]' '[:upper:]' < f
tr '[:upper:]' '[:lower:]' < f
tr -d '\n' < f
tr -d l < f
tr -s ' ' < f
tr -s ' \n' < f
tr -s l x < f
tr -ds l o < f
tr -d -s '[:space:]' o < f
tr -cd '[:alnum:]' < f
tr -cd 'a-z\n' < f
tr -c '[:alnum:]' '\n' < f
tr -cs '[:alnum:]' '[\n*]' < f
tr -cs A-Za-z '\n' < f
tr '\0' '\n' < b
tr '\000-\037' . < b
tr -d '\200-\377' < b
tr '\303\251' 'xy' < b
tr é ab < b
tr ' ' '\012' < f
tr 'a-c' 'x' < f
tr -t 'elo' 'x' < f
tr '[=l=]' L < f
tr 'elo' '[x*2]y' < f
tr 'elo' '[x*]y' < f
tr 'a-z' 'b-za' < f
tr '[a-z]' '[A-Z]' < f
tr '[:punct:]' x < f
tr '\\' / < f
tr '/' '\\' < f
tr -- -a bc < f
tr 'a-' 'xy' < f
tr a '' < f
tr -d '' < f
tr
tr a < f
tr -d a b < f
tr -ds a < f
tr a b c < f
tr z-a b < f
tr '[:foo:]' b < f
tr '[a*3]' b < f
tr a '[:digit:]' < f
tr a '[:upper:]' < f
tr '[:digit:]' '[:upper:]' < f
tr -c '[:alpha:]' 'ab' < f
tr ab '[x*][y*]' < f
tr '[=ab=]' x < f
tr ab '[x*y]' < f
tr -q
tr a-zA-Z n-za-mN-ZA-M < f
tr '[:lower:][:upper:]' '[:upper:][:lower:]' < f
tr -s '[:upper:]' '[:lower:]' < f
head -c 70000 /dev/zero | tr '\0' x | wc -c
tr -s '' < f
tr 'a\' 'xy' < f
