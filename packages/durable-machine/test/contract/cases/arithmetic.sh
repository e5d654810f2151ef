#### operators
echo $((1+2*3)) $(((1+2)*3)) $((7/2)) $((-7/2)) $((7%3)) $((-7%3)) $((2**10)) $((1<<4)) $((256>>2)) $((5&3)) $((5|3)) $((5^3)) $((~5))

#### comparisons and logic
echo $((1<2)) $((2<=1)) $((1==1)) $((1!=1)) $((1&&0)) $((1||0)) $((!1)) $((!0)) $((1?2:3)) $((0?2:3))

#### assignments
x=5; echo $((x+=2)) $((x-=1)) $((x*=3)) $((x/=2)) $((x%=5)) $((x<<=2)) $((x|=1)) $x

#### increments
x=5; echo $((x++)) $x $((++x)) $x $((x--)) $((--x))

#### variables without a dollar, unset and nested
a=3; b=a; unset c; echo $((a+1)) $((b+1)) $((c+1)) $((a*${a}))

#### bases
echo $((0x1f)) $((010)) $((2#1011)) $((16#ff)) $((36#z)) $((0xFF & 15))

#### a decimal with a leading zero
x=08; echo $((10#$x + 1))

#### 64 bits wrap around
echo $((9223372036854775807)) $((9223372036854775807 + 1)) $((-9223372036854775808)) $((1 << 62)) $((4611686018427387904 * 2)) $((3037000500 * 3037000500))

#### large products are exact
echo $((123456789 * 987654321)) $((9007199254740993)) $((999999999999 * 999999)) $((9007199254740993 % 10))

#### comma
echo $((a=1, b=2, a+b)) $a $b

#### white space and newlines
echo $(( 1 +
  2 ))

#### division by zero
echo $((1/0)); echo not reached

#### the remainder by zero in a command
((1 % 0)); echo $?

#### exit code of an arithmetic command
#@ each
((1)); echo $?
((0)); echo $?
((5 > 3)) && echo yes
((5 < 3)) || echo no

#### let
#@ each
let x=1+2 y=x*2; echo $x $y
let 0; echo $?
let 'z = 3' && echo $z

#### c style for
for ((i=0; i<5; i++)); do printf '%s ' $i; done; echo; for ((i=10, j=0; i>j; i-=3, j++)); do echo $i $j; done

#### an endless c style for with break
for ((;;)); do ((++n >= 3)) && break; done; echo $n

#### declare -i evaluates
declare -i n; n=2+3; echo $n; n=n*2; echo $n; n=nothing; echo $n

#### strings in comparisons
x=abc; echo $((x == 0))

#### a ternary chain and precedence
x=5; echo $((x<3?1:x<6?2:3)) $((1+1<<2)) $((2**3**2)) $((-2**2)) $((1||0&&0)) $((6&3==2))

#### a syntax error in arithmetic
#@ stderr any
echo $((1 +)); echo not reached

#### an arithmetic result as a condition
n=10; while ((n > 7)); do echo $n; ((n--)); done; if (( n == 7 && n % 2 )); then echo seven; fi

#### exit code of ((i++)) under set -e
set -e; i=1; ((i++)); echo $i; i=0; ((i++)); echo not reached

#### arithmetic with array elements and functions
a=(3 4); f() { echo $(( $1 * $1 )); }; echo $((a[0]*a[1])) $(( $(f 3) + $(f 4) ))

#### old arithmetic
echo $[1+2]

#### test with -eq evaluates only integers
[ 5 -eq 5 ] && echo a; [ abc -eq 5 ]; echo $?

#### double brackets evaluate arithmetic
x=3; [[ x -eq 3 ]] && echo a; [[ 1+2 -eq x ]] && echo b

#### expr
#@ each
expr 1 + 2
expr 7 / 2
expr 7 % 2
expr 2 \* 3
expr 1 \< 2
expr 2 = 3; echo $?
expr abc : 'a\(.\)c'
expr length hello
expr substr hello 2 3
expr index hello l

#### expr errors
#@ each
expr 1 / 0; echo $?
expr; echo $?
expr 1 +; echo $?

#### seq
#@ each
seq 3
seq 2 4
seq 1 2 7
seq 5 -2 1
seq -s, 3
seq -w 8 10
seq 3 1
seq 0.5 0.5 2
seq -f '%03g' 1 3

#### integer output of printf
printf '%d %i %o %x %X %#x %5d|%-5d|%05d|%+d\n' 42 -7 8 255 255 255 42 42 42 42

#### printf of numbers in other bases and characters
printf '%d %d %d %d\n' 0x1f 010 "'A" '"B'

#### bc
#@ needs bc
echo '2^64; scale=3; 10/3' | bc

#### factors
#@ needs factor
factor 12 97

#### expansions in braces within arithmetic
x=12.5; set -- a b; y=7; echo $((${x%.*} * 2)) $((${#x} + 1)) $((${#} + 1)) $((${x:0:2} + ${z:-$y})) $((${y/7/8} + y)); (( ${x##*.} == 5 )) && echo five
