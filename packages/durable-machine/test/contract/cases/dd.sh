#### options and errors
#@ before printf 'a\nb\n' > a; printf 1234567890 > n; mkdir d
#@ each
dd if=a of=o bs=1 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=1000 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=1023 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=1024 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=999999 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=1M count=12 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=1 count=0 2>&1 | sed "s/ copied.*/ copied/"
dd if=a skip=100 2>&1 | sed "s/ copied.*/ copied/"
dd if=a ibs=1 obs=3 2>&1 | sed "s/ copied.*/ copied/"
dd if=a bs=3 conv=ucase,swab 2>&1 | sed "s/ copied.*/ copied/"
dd if=. 2>&1 | sed "s/ copied.*/ copied/"
dd if=a of=/nope/x 2>&1 | sed "s/ copied.*/ copied/"
dd bs=0 2>&1 | sed "s/ copied.*/ copied/"
dd conv=foo 2>&1 | sed "s/ copied.*/ copied/"
dd status=foo 2>&1 | sed "s/ copied.*/ copied/"
dd iflag=foo 2>&1 | sed "s/ copied.*/ copied/"
dd count=x 2>&1 | sed "s/ copied.*/ copied/"
dd if=nope 2>&1 | sed "s/ copied.*/ copied/"
dd of=. 2>&1 | sed "s/ copied.*/ copied/"
dd foo 2>&1 | sed "s/ copied.*/ copied/"
dd if=a count=1B 2>&1 | sed "s/ copied.*/ copied/"
dd if=a bs=3 count=3 iflag=count_bytes 2>&1 | sed "s/ copied.*/ copied/"
dd if=a of=n conv=excl 2>&1 | sed "s/ copied.*/ copied/"
dd if=a of=o3 conv=nocreat 2>&1 | sed "s/ copied.*/ copied/"
dd if=a of=n seek=1 bs=2 2>&1 | sed "s/ copied.*/ copied/"
dd if=n bs=1 skip=2 count=3 2>&1 | sed "s/ copied.*/ copied/"
dd if=n bs=2k 2>&1 | sed "s/ copied.*/ copied/"
dd if=n ibs=3 obs=2 of=o 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero bs=100k count=3 of=/dev/null 2>&1 | sed "s/ copied.*/ copied/"
dd if=n of=n conv=notrunc bs=4 2>&1 | sed "s/ copied.*/ copied/"
printf abc | dd bs=2 iflag=fullblock 2>&1 | sed "s/ copied.*/ copied/"
dd if=n bs=3 count=2 status=none 2>&1 | sed "s/ copied.*/ copied/"
dd if=n bs=3 count=2 status=noxfer 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=o bs=2x512 count=2 2>&1 | sed "s/ copied.*/ copied/"
dd if=n bs=5 skip=1 iflag=skip_bytes 2>&1 | sed "s/ copied.*/ copied/"
dd status=progress if=n of=o 2>&1 | sed "s/ copied.*/ copied/"
dd if=/dev/zero of=/dev/full bs=10 count=1 2>&1 | sed "s/ copied.*/ copied/"
dd < n bs=4 count=1 status=none
echo hello | dd bs=1 count=3 status=none
dd if=n of=n2 bs=3 status=none; cmp n n2
dd if=/dev/zero bs=70000 count=2 status=none | md5sum
dd if=n bs=1 skip=8 status=none
dd if=n conv=ucase status=none

#### options and errors, with xxd
#@ needs xxd
#@ before printf 'a\nb\n' > a; printf 1234567890 > n; mkdir d
#@ each
dd if=a bs=3 conv=sync status=none | xxd
dd if=a of=n seek=1 bs=2 status=none; xxd n
dd if=a of=n seek=1 bs=2 conv=notrunc status=none; xxd n
dd if=a of=n oflag=append conv=notrunc status=none; xxd n
dd if=a of=new seek=2 bs=1 status=none; xxd new
dd if=n of=o bs=3 seek=1 oflag=seek_bytes status=none; xxd o
