#!/bin/bash
# Makes the sandbox's files, which are all in one file system in memory with limits of bytes and files, and starts the
# agent there. Its programs are those of this computer, read-only.
set -eu
umask 022
root=$SANDBOX_FOLDER/root
cd /
mount -t tmpfs -o "size=$SANDBOX_BYTES,nr_inodes=$SANDBOX_FILES,mode=755" sandbox "$root"
cd "$root"
mkdir -p home/kernel/Downloads root tmp var/tmp var/spool etc run/berth/pipes var/shm opt srv mnt usr
chmod 1777 tmp var/tmp var/shm
chmod 700 root
# The agent's, so that programs can start when the other files are full.
mount -t tmpfs -o size=64k,nr_inodes=4096,mode=700 pipes run/berth/pipes
arguments=()
if [ "$SANDBOX_USERS" = many ]; then
  chown -R 1000:1000 home/kernel
else
  # All files are those of the only user.
  arguments+=(--unshare-user --uid 1000 --gid 1000)
fi
cat > etc/passwd <<TEXT
root:x:0:0:root:/root:/bin/bash
kernel:x:1000:1000:kernel:/home/kernel:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
TEXT
cat > etc/group <<TEXT
root:x:0:
tty:x:5:
kernel:x:1000:
nogroup:x:65534:
TEXT
printf '127.0.0.1 localhost berth\n::1 localhost\n' > etc/hosts
echo berth > etc/hostname
printf 'passwd: files\ngroup: files\nhosts: files\n' > etc/nsswitch.conf

arguments+=(--bind "$root" / --ro-bind /usr /usr)
for name in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then
    arguments+=(--symlink "$(readlink "/$name")" "/$name")
  elif [ -d "/$name" ]; then
    arguments+=(--ro-bind "/$name" "/$name")
  fi
done
# What programs need of the computer's settings, and nothing about the computer.
for path in /etc/{alternatives,ca-certificates,fonts,java*,ld.so.cache,localtime,magic,mime.types,perl,python3*} \
  /etc/{ssl/certs,ssl/openssl.cnf,terminfo}; do
  if [ -e "$path" ]; then
    # bubblewrap's own directories are closed to other users.
    mkdir -p ".$(dirname "$path")"
    arguments+=(--ro-bind "$path" "$path")
  fi
done

ulimit -c 0 -n 4096 -u "$SANDBOX_TASKS"
exec 6< "$SANDBOX_SECCOMP"
exec env -i \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  MAX_PROCESSES="$SANDBOX_PROCESSES" \
  NETWORK_SOCKET=/run/berth/network.sock \
  TMPDIR=/run/berth/pipes \
  bwrap "${arguments[@]}" \
  --proc /proc --ro-bind /proc/sys /proc/sys --dev /dev --remount-ro /dev --bind "$root/var/shm" /dev/shm \
  --ro-bind "$SANDBOX_NODE" /run/berth/node \
  --ro-bind "$SANDBOX_AGENT" /run/berth/agent \
  --bind "$SANDBOX_FOLDER/network.sock" /run/berth/network.sock \
  --unshare-pid --unshare-ipc --unshare-uts --unshare-net --unshare-cgroup-try --hostname berth \
  --die-with-parent --new-session --seccomp 6 --cap-drop ALL \
  --cap-add CAP_CHOWN --cap-add CAP_DAC_OVERRIDE --cap-add CAP_FOWNER --cap-add CAP_FSETID --cap-add CAP_KILL \
  --cap-add CAP_NET_BIND_SERVICE --cap-add CAP_SETGID --cap-add CAP_SETUID \
  -- /run/berth/node --max-old-space-size=256 /run/berth/agent/main.mjs
