#### options and errors
#@ before :
#@ each
seq 3
seq 2 4
seq 1 2 6
seq 3 -1 1
seq 3 1
seq 0
seq -2 2
seq -1 -1 -3
seq 1 .5 3
seq 0.1 0.1 0.5
seq 1 0.25 2
seq .5 2
seq 1 2.5
seq 1.0 3
seq 1e1
seq 1e0 1e-1 1.3
seq +1 +3
seq -w 8 11
seq -w 1 0.5 10
seq -w -2 1
seq -w 01 3
seq -w 1 3.75
seq -w .5 10
seq -w 1 1 10.0
seq -s, 3
seq -s ' - ' 3
seq -s '' 3
seq -s , 1 1
seq -f %g 3
seq -f '%03g' 8 10
seq -f '%.2f' 1 0.5 2
seq -f 'x%gy' 2
seq -f '%e' 2
seq -f '%5.1f|' -1 1
seq -f '%-5g|' 2
seq -f '%%%g' 2
seq -f 'f%04.0f.txt' 2
seq -f %g 1000000 1000000
seq -f %g 999999 1000001
seq -f '%+g' -1 1
seq -f %d 3
seq -f x 3
seq -f %g%g 3
seq -f % 3
seq -w -f %g 3
seq -0 2
seq -0.0 1
seq 99999999999999999998 100000000000000000001
seq 9007199254740992 9007199254740994
seq 1000000 | tail -n 1
seq 1000000 | wc -c
seq
seq x
seq 1 2 3 4
seq 1 0 3
seq -q
seq -- -1 1
seq 1 -- 
seq 5 2 4
seq 1 -inf
for i in $(seq 3); do echo $i; done
seq 10 | sort -rn | head -n 2 | tr '\n' ,
