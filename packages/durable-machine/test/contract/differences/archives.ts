import type { KnownDifference } from "../known-difference.ts";

export const ARCHIVES: readonly KnownDifference[] = [
  {
    reason: "tar writes POSIX headers instead of GNU's and does not pad to records of 20 blocks.",
    cases: {
      "loops: options and errors: tar cf t.tar d --sort=name; tar tf t.tar": ["tree"],
      "shell: options and errors: umask 077; tar cf t.tar d; stat -c %a t.tar": ["tree"],
      "tar: options and errors: wc -c t.tar": ["stdout"],
      "tar: options and errors: tar cf q.tar --files-from=/dev/null; wc -c q.tar": ["stdout"],
    },
  },
  {
    reason: "tar does not append to an archive (-r).",
    cases: {
      "data-commands: tar options": ["stdout", "stderr", "tree"],
      "tar: options and errors: cp t.tar r.tar; tar rf r.tar a/b; tar tf r.tar": ["stdout", "stderr"],
    },
  },
  {
    reason: "tar has no --mtime, --one-top-level and --full-time.",
    cases: {
      "tar: options and errors: tar cf m.tar --mtime=2020-01-01 --owner=0 --group=0 --sort=name a; tar tvf m.tar":
        ["stdout", "stderr", "exitCode"],
      "tar: options and errors: tar xf t.tar --one-top-level=zz a/f; ls -R zz": [
        "stdout",
        "stderr",
        "exitCode",
        "tree",
      ],
      "tar: what names its owners: tar tvf t.tar --full-time | head -2": ["stdout", "stderr"],
    },
  },
  {
    reason: "tar always replaces files, without -k and --skip-old-files.",
    cases: {
      "tar: options and errors: tar xf t.tar -k": ["stderr", "exitCode"],
      "tar: options and errors: tar xf t.tar --skip-old-files; echo $?": ["stdout", "stderr"],
    },
  },
  {
    reason: "tar reports an archive that ends in a header as incomplete.",
    cases: {
      "tar: options and errors: head -c 700 t.tar > cut.tar; tar tf cut.tar": ["stderr", "exitCode"],
    },
  },
  {
    reason:
      "od has no floating point numbers, -a and octal numbers, and another message for an invalid type.",
    cases: {
      "od: options and errors: od -t f8 f": ["stdout", "stderr", "exitCode"],
      "od: options and errors: od -a f": ["stdout", "stderr", "exitCode"],
      "od: options and errors: od -tfF f": ["stdout", "stderr", "exitCode"],
      "od: options and errors: od -tZ f": ["stderr"],
      "od: options and errors: od -Aq f": ["stderr"],
      "od: options and errors: od -tx3 f": ["stderr"],
      "od: options and errors: od -w3 -tx2 f": ["stdout", "stderr", "exitCode"],
      "od: options and errors: od -tf4 fl": ["stdout", "stderr", "exitCode"],
      "od: options and errors: od -j 0x2 -N 010 -tx1 f": ["stdout"],
      "od: options and errors: od -tz f": ["stderr"],
    },
  },
  {
    reason: "xxd has no -a, -C, -d, -e, -n and -o.",
    cases: {
      "xxd: options and errors: xxd -e s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -C -i s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -a z": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -o 16 -l 4 s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -d s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -i -n foo s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -e -g 2 s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: (head -c 32 /dev/zero; echo hi) | xxd -a": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "cmp has no -b.",
    cases: {
      "cmp: options and errors: cmp -lb a b": ["stdout", "stderr", "exitCode"],
      "cmp: options and errors: cmp -b a b": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "dd has no conv=swab, excl and nocreat, and fails to open a directory.",
    cases: {
      'dd: options and errors: dd if=a bs=3 conv=ucase,swab 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
      'dd: options and errors: dd if=. 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
      'dd: options and errors: dd if=a of=n conv=excl 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
      'dd: options and errors: dd if=a of=o3 conv=nocreat 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
    },
  },
  {
    reason: "diff has no context format (-c).",
    cases: {
      "text-commands: unified diff: diff -c x y | head -n 5 | tail -n +3": ["stdout", "stderr"],
    },
  },
];
