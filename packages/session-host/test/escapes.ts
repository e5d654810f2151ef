/** An attempt to leave a sandbox, as a script that prints ESCAPED if it succeeds. */
export interface Escape {
  name: string;
  script: string;
  /** Default: both users of a sandbox. */
  as?: "kernel" | "root";
}

/** What the attempts find outside of their sandbox. */
export interface Surroundings {
  /** Contents of a file, and a variable of a process, of another machine. */
  secret: string;
  /** The argument of a process of another machine. */
  argument: string;
  /** The port of the host, and the token for it, which is also in the host's environment. */
  port: number;
  token: string;
  /** An abstract socket and one in a folder, of this computer. */
  abstractSocket: string;
  socketPath: string;
}

const python = (code: string) => `python3 - <<'PYTHON'\n${code}\nPYTHON`;

/** Fails unless each system call fails. Pointers are to 1 KiB of zeros. */
function callsThatFail(calls: Record<string, [number: number, ...values: (number | string)[]]>): string {
  const lines = Object.entries(calls).map(
    ([name, [number, ...values]]) =>
      `attempt("${name}", ${number}${values.map((value) => `, ${value}`).join("")})`,
  );
  return python(`import ctypes
libc = ctypes.CDLL(None, use_errno=True)
zeros = ctypes.create_string_buffer(1024)
def attempt(name, number, *values):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_void_p(v) if isinstance(v, int) else v for v in values])
    print(name, result, ctypes.get_errno())
    if result >= 0: print("ESCAPED by", name)
${lines.join("\n")}`);
}

/** Fails if the path can be opened. */
const unreadable = (...paths: string[]) =>
  paths
    .map((path) => `(cat ${path} | head -c 100) 2>/dev/null | grep -q . && echo ESCAPED ${path}`)
    .join("\n");

const unwritable = (...paths: string[]) =>
  paths.map((path) => `(echo x > ${path}) 2>/dev/null && echo ESCAPED ${path}`).join("\n");

const refused = (...commands: string[]) =>
  commands.map((command) => `(${command}) >/dev/null 2>&1 && echo "ESCAPED by ${command}"`).join("\n");

const unreachable = (host: string, port: number) => `timeout 2 bash -c ': < /dev/tcp/${host}/${port}'`;

const CLONE_NEWUSER = 0x10000000;

export function listEscapes(around: Surroundings): Escape[] {
  const { secret, argument, port, token, abstractSocket, socketPath } = around;
  const inProcesses = (file: string, text: string) =>
    // The brackets keep it from finding itself.
    `grep -aqs -e '[${text.charAt(0)}]${text.slice(1)}' /proc/[0-9]*/${file} && echo ESCAPED`;
  return [
    {
      name: "read another machine's files",
      script: `grep -rqs ${secret} /home /tmp /var /root /run /mnt && echo ESCAPED`,
    },
    {
      name: "read them through /proc",
      script:
        "cat /proc/[0-9]*/root/home/kernel/secret 2>/dev/null | grep -q . && ls -la /proc/*/root/home/kernel && echo ESCAPED",
    },
    {
      name: "see another machine's processes",
      script: `ps axww | grep -v grep | grep -q ${argument} && echo ESCAPED`,
    },
    {
      name: "see the host's processes",
      script: '[ "$(ls /proc | grep -c "^[0-9]")" -gt 20 ] && echo ESCAPED',
    },
    { name: "read variables of other processes", script: inProcesses("environ", secret) },
    {
      name: "find the host's token",
      script: `${inProcesses("environ", token)}; ${inProcesses("cmdline", token)}`,
    },
    {
      name: "read the memory of the agent",
      script: refused("head -c 1 /proc/2/mem", "cat /proc/2/maps"),
      as: "kernel",
    },
    { name: "trace the agent", script: callsThatFail({ ptrace: [101, 16, 2, 0, 0] }), as: "kernel" },
    { name: "signal the agent", script: refused("kill -0 2", "kill -0 1"), as: "kernel" },
    {
      name: "read the computer's secrets",
      script: unreadable(
        "/etc/shadow",
        "/proc/1/root/etc/shadow",
        "/etc/ssl/private/*",
        "/etc/machine-id",
        "/proc/kcore",
        "/proc/keys",
      ),
    },
    {
      name: "leave by ..",
      script: unreadable(
        "/../../../../etc/shadow",
        "/proc/1/cwd/../../etc/shadow",
        "/proc/self/root/../etc/shadow",
      ),
    },
    {
      name: "use descriptors of the host",
      script:
        'ls -l /proc/self/fd | grep -vE "/[.]pipes-|pipe:|socket:|/proc/|^total" | grep . && echo ESCAPED; [ "$(ls /proc/$$/fd | wc -l)" -gt 5 ] && echo ESCAPED',
    },
    {
      name: "connect to an abstract socket",
      script: python(`import socket
for name in ["\\0${abstractSocket}", "${socketPath}"]:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(name); print("ESCAPED", repr(name))
    except OSError as error: print(error)`),
    },
    {
      name: "connect to the host's port",
      script: refused(unreachable("127.0.0.1", port), unreachable("localhost", port)),
    },
    { name: "connect to another machine's port", script: refused(unreachable("127.0.0.1", 9000)) },
    {
      name: "connect to the metadata address",
      script: refused(
        unreachable("169.254.169.254", 80),
        unreachable("10.0.0.1", 80),
        unreachable("8.8.8.8", 53),
      ),
    },
    {
      name: "reach private addresses by the proxy",
      script: [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        "169.254.169.254",
        "[::1]",
        "0x7f000001",
        "2130706433",
      ]
        .map(
          (host) =>
            `curl -s -m 5 -o /tmp/body -w '%{http_code}' http://${host}/health --noproxy '' | grep -q 200 && echo ESCAPED ${host}; curl -s -m 5 -p https://${host}/ -o /dev/null && echo ESCAPED ${host}`,
        )
        .join("\n"),
    },
    {
      name: "mount",
      script: refused(
        "mount -t tmpfs x /mnt",
        "mount --bind /tmp /mnt",
        "mount -o remount,rw /usr",
        "umount /usr",
        "umount /run/berth/node",
      ),
    },
    {
      name: "make namespaces",
      script: refused(
        "unshare --user true",
        "unshare --mount true",
        "unshare --net true",
        "unshare --pid --fork true",
        "nsenter -t 1 -m true",
      ),
    },
    {
      name: "make a user namespace by clone",
      script: callsThatFail({
        clone: [56, CLONE_NEWUSER | 17, 0, 0, 0, 0],
        clone3: [435, "zeros", 88],
        unshare: [272, CLONE_NEWUSER],
        setns: [308, 0, 0],
      }),
    },
    {
      name: "change the root",
      script: `${refused("chroot /tmp /bin/true")}\n${callsThatFail({ pivot_root: [155, "zeros", "zeros"] })}`,
    },
    {
      name: "become root by a program of the computer",
      script:
        'for p in "su -c id" "sudo -n id" "pkexec id" "newgrp root -c id"; do timeout 3 $p </dev/null 2>/dev/null | grep -q "uid=0" && echo "ESCAPED $p"; done',
      as: "kernel",
    },
    {
      name: "leave a set-user-id program for kernel",
      script: "cp /bin/bash /tmp/rootbash && chmod 4755 /tmp/rootbash",
      as: "root",
    },
    {
      name: "use a set-user-id program",
      script: '[ "$(/tmp/rootbash -p -c "id -u")" = 0 ] && echo ESCAPED',
      as: "kernel",
    },
    {
      name: "get more rights",
      script:
        'grep -q "^NoNewPrivs:.1$" /proc/self/status || echo ESCAPED; grep -q "^Seccomp:.2$" /proc/self/status || echo ESCAPED; grep -q "^CapEff:.0000000000000000$" /proc/self/status || [ "$(id -u)" = 0 ] || echo ESCAPED; [ $((0x$(sed -n "s/^CapEff:.//p" /proc/self/status) & ~0x4fb)) = 0 ] || echo ESCAPED',
    },
    { name: "make device files", script: refused("mknod /tmp/device b 254 0", "mknod /tmp/mem c 1 1") },
    {
      name: "use devices",
      script: unreadable(
        "/dev/mem",
        "/dev/kmsg",
        "/dev/vda",
        "/dev/sda",
        "/dev/fuse",
        "/dev/kvm",
        "/dev/net/tun",
        "/dev/vsock",
      ),
    },
    {
      name: "read the kernel's log",
      script: `${refused("dmesg")}\n${callsThatFail({ syslog: [103, 3, "zeros", 100] })}`,
    },
    {
      name: "change the kernel",
      script: unwritable(
        "/proc/sysrq-trigger",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sys/vm/drop_caches",
        "/proc/sys/net/ipv4/ip_forward",
        "/proc/sys/kernel/yama/ptrace_scope",
        "/proc/1/oom_score_adj",
      ),
    },
    {
      name: "change the kernel's settings of its own namespaces",
      script: "find /proc/sys -type f -writable 2>/dev/null | grep . && echo ESCAPED",
    },
    {
      name: "dump core",
      script: '[ "$(ulimit -c)" = 0 ] || echo ESCAPED; (ulimit -c unlimited) 2>/dev/null && echo ESCAPED',
    },
    {
      name: "raise its limits",
      script:
        refused("ulimit -u unlimited", "ulimit -n 1000000", "chrt -f 1 true") +
        '\n[ "$(nice -n -5 nice 2>/dev/null)" = -5 ] && echo ESCAPED',
      as: "kernel",
    },
    {
      name: "use the kernel's keys",
      script: callsThatFail({
        add_key: [248, "zeros", "zeros", 0, 0, 0],
        request_key: [249, "zeros", "zeros", 0, 0],
        keyctl: [250, 0, 0, 0],
      }),
    },
    {
      name: "use calls that have let programs out",
      script: callsThatFail({
        bpf: [321, 0, "zeros", 64],
        perf_event_open: [298, "zeros", 0, -1, -1, 0],
        userfaultfd: [323, 0],
        io_uring_setup: [425, 1, "zeros"],
        init_module: [175, "zeros", 0, "zeros"],
        kexec_load: [246, 0, 0, 0, 0],
        open_by_handle_at: [304, 0, "zeros", 0],
        name_to_handle_at: [303, -100, "zeros", "zeros", "zeros", 0],
        fsopen: [430, "zeros", 0],
        open_tree: [428, -100, "zeros", 0],
        reboot: [169, 0, 0, 0, 0],
        settimeofday: [164, "zeros", 0],
      }),
    },
    {
      name: "open sockets that have no namespace",
      script: callsThatFail({
        AF_VSOCK: [41, 40, 1, 0],
        AF_PACKET: [41, 17, 3, 0],
        AF_ALG: [41, 38, 5, 0],
        "AF_INET raw": [41, 2, 3, 1],
      }),
    },
    {
      name: "type into its terminal",
      script: python(`import fcntl, os, pty
main, terminal = pty.openpty()
try:
    fcntl.ioctl(terminal, 0x5412, b"x"); print("ESCAPED")
except OSError as error: print(error)`),
    },
    {
      name: "change its control group",
      script:
        "ls /sys 2>/dev/null | grep -q . && echo ESCAPED; mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg 2>/dev/null && echo ESCAPED; true",
    },
    {
      name: "change programs of the computer",
      script: unwritable(
        "/usr/bin/evil",
        "/usr/bin/env",
        "/run/berth/node",
        "/run/berth/agent/main.mjs",
        "/etc/alternatives/evil",
        "/bin/evil",
      ),
    },
    {
      name: "replace its way to the network",
      script: refused("rm /run/berth/network.sock", "mv /run/berth/network.sock /tmp/s"),
    },
    { name: "change its host name", script: refused("hostname evil") },
    {
      name: "fill the disk",
      script:
        'head -c 2G /dev/zero > /tmp/fill 2>/dev/null && echo ESCAPED; [ "$(stat -c %s /tmp/fill)" -gt 70000000 ] && echo ESCAPED; rm -f /tmp/fill; head -c 2G /dev/zero > /dev/shm/fill 2>/dev/null && echo ESCAPED; rm -f /dev/shm/fill',
    },
    {
      name: "use up files",
      script: `${python(`import os
os.makedirs("/tmp/many", exist_ok=True)
count = 0
try:
    for count in range(100000): open(f"/tmp/many/{count}", "w").close()
    print("ESCAPED")
except OSError as error: print(count, error)`)}\nrm -rf /tmp/many`,
    },
    {
      name: "use up processes",
      script: python(`import os, signal
children = []
try:
    while len(children) < 5000:
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        children.append(pid)
    print("ESCAPED")
except OSError as error: print(len(children), error)
for pid in children: os.kill(pid, 9)
for pid in children: os.waitpid(pid, 0)`),
    },
  ];
}
