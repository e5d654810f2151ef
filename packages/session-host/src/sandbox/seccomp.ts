/**
 * A filter of system calls for seccomp(2), as `struct sock_filter` of linux/filter.h. A sandbox's programs need none
 * of the calls that it refuses: they make namespaces and mounts, reach the kernel's keys, modules, clock and
 * tracing, or have often let programs out of a sandbox.
 */
export const REFUSED_CALLS: Record<string, { x64: number; arm64: number }> = {
  acct: { x64: 163, arm64: 89 },
  add_key: { x64: 248, arm64: 217 },
  bpf: { x64: 321, arm64: 280 },
  clock_settime: { x64: 227, arm64: 112 },
  delete_module: { x64: 176, arm64: 106 },
  finit_module: { x64: 313, arm64: 273 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fsopen: { x64: 430, arm64: 430 },
  fspick: { x64: 433, arm64: 433 },
  init_module: { x64: 175, arm64: 105 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  io_uring_setup: { x64: 425, arm64: 425 },
  kexec_file_load: { x64: 320, arm64: 294 },
  kexec_load: { x64: 246, arm64: 104 },
  keyctl: { x64: 250, arm64: 219 },
  mount: { x64: 165, arm64: 40 },
  mount_setattr: { x64: 442, arm64: 442 },
  move_mount: { x64: 429, arm64: 429 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  open_tree: { x64: 428, arm64: 428 },
  perf_event_open: { x64: 298, arm64: 241 },
  pivot_root: { x64: 155, arm64: 41 },
  quotactl: { x64: 179, arm64: 60 },
  reboot: { x64: 169, arm64: 142 },
  request_key: { x64: 249, arm64: 218 },
  setns: { x64: 308, arm64: 268 },
  settimeofday: { x64: 164, arm64: 170 },
  swapoff: { x64: 168, arm64: 225 },
  swapon: { x64: 167, arm64: 224 },
  syslog: { x64: 103, arm64: 116 },
  umount2: { x64: 166, arm64: 39 },
  unshare: { x64: 272, arm64: 97 },
  userfaultfd: { x64: 323, arm64: 282 },
};

/** AUDIT_ARCH_* of linux/audit.h, and the calls that depend on their arguments. */
export const ARCHITECTURES = {
  x64: { audit: 0xc000003e, clone: 56, clone3: 435, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc00000b7, clone: 220, clone3: 435, socket: 198, ioctl: 29 },
};

const X32_BIT = 0x40000000;
const CLONE_NEWUSER = 0x10000000;
/** Puts characters into the input of a terminal. */
const TIOCSTI = 0x5412;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, are not bound to a network namespace. */
const ADDRESS_FAMILIES = [1, 2, 10, 16];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const KILL_PROCESS = 0x80000000;
const ALLOW = 0x7fff0000;
const fail = (errno: number) => 0x00050000 | errno;

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

interface Instruction {
  code: number;
  whenTrue?: number;
  whenFalse?: number;
  value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, value: offset });
const end = (value: number): Instruction => ({ code: 0x06, value });
/** Skips instructions by whether the loaded value equals, has a bit of, or is at least `value`. */
const ifEqual = (value: number, whenTrue: number, whenFalse: number): Instruction => ({
  code: 0x15,
  value,
  whenTrue,
  whenFalse,
});
const ifBit = (value: number, whenTrue: number, whenFalse: number): Instruction => ({
  code: 0x45,
  value,
  whenTrue,
  whenFalse,
});
const ifAtLeast = (value: number, whenTrue: number, whenFalse: number): Instruction => ({
  code: 0x35,
  value,
  whenTrue,
  whenFalse,
});

/** @throws Error for a processor whose numbers of system calls are not known here. */
export function seccompFilter(architecture: string): Uint8Array {
  if (architecture !== "x64" && architecture !== "arm64")
    throw new Error(`There is no filter of system calls for ${architecture}`);
  const { audit, clone, clone3, socket, ioctl } = ARCHITECTURES[architecture];
  return assemble([
    load(ARCHITECTURE),
    ifEqual(audit, 1, 0),
    end(KILL_PROCESS),
    load(NUMBER),
    ifAtLeast(X32_BIT, 0, 1),
    end(fail(ENOSYS)),
    ...Object.values(REFUSED_CALLS).flatMap((numbers) => [
      ifEqual(numbers[architecture], 0, 1),
      end(fail(EPERM)),
    ]),
    // Its flags are in memory, where a filter cannot read. The C library then uses `clone`.
    ifEqual(clone3, 0, 1),
    end(fail(ENOSYS)),
    ifEqual(clone, 0, 4),
    load(argument(0)),
    ifBit(CLONE_NEWUSER, 0, 1),
    end(fail(EPERM)),
    end(ALLOW),
    ifEqual(ioctl, 0, 4),
    load(argument(1)),
    ifEqual(TIOCSTI, 0, 1),
    end(fail(EPERM)),
    end(ALLOW),
    ifEqual(socket, 0, 2 + ADDRESS_FAMILIES.length),
    load(argument(0)),
    ...ADDRESS_FAMILIES.map((family, index) => ifEqual(family, ADDRESS_FAMILIES.length - index, 0)),
    end(fail(EAFNOSUPPORT)),
    end(ALLOW),
  ]);
}

function assemble(instructions: Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8 * instructions.length));
  for (const [index, { code, whenTrue = 0, whenFalse = 0, value }] of instructions.entries()) {
    bytes.setUint16(8 * index, code, true);
    bytes.setUint8(8 * index + 2, whenTrue);
    bytes.setUint8(8 * index + 3, whenFalse);
    bytes.setUint32(8 * index + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
