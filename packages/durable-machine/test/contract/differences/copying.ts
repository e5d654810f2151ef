import type { KnownDifference } from "../known-difference.ts";

export const COPYING: readonly KnownDifference[] = [
  {
    reason: "cp has no --parents, -H, -l and -s, and does not preserve hard links.",
    cases: {
      "copy: options and errors: cp -H ld q": ["stderr"],
      "copy: options and errors: cp -a a hl e; stat -c %h e/a": ["stdout"],
      "copy: options and errors: cp --parents d/x e; ls -R e": ["stdout", "tree", "stderr"],
      "copy: options and errors: cp -l a hl2; stat -c %h hl2": ["stdout", "stderr", "exitCode", "tree"],
      "copy: options and errors: cp -s a sl; readlink sl": ["stdout", "stderr", "exitCode", "tree"],
      "file-commands: cp -l and -s": ["stdout", "stderr", "exitCode", "tree"],
    },
  },
  {
    reason: "ln has no -L and -i, chown no --from, -v and --reference, and chmod no --reference.",
    cases: {
      "links: options and errors: ln -L s1 t6; stat -c %F t6": ["stdout", "stderr", "exitCode", "tree"],
      "links: options and errors: ln -i -s x s1 < /dev/null; readlink s1": ["stderr"],
      "modes: what names its owners: chown --from=5 6 f; stat -c %u f": ["stderr"],
      "modes: what names its owners: chown -v 0:0 f": ["stdout"],
      "modes: what names its owners: chown -v root: f": ["stdout"],
      "modes: what names its owners: chgrp -v root f": ["stdout"],
      "modes: what names its owners: chown 5 f; chown --reference=f g; stat -c %u g": ["stdout", "stderr"],
      "modes: options and errors: chmod --reference=f d; stat -c %a d": ["stdout", "stderr", "tree"],
      "file-commands: chmod with a reference and through a link": ["stdout", "stderr", "tree"],
    },
  },
  {
    reason: "Messages for empty names, broken symlinks and unknown attributes differ.",
    cases: {
      'copy: options and errors: cp a ""': ["stderr"],
      "copy: options and errors: cp --preserve=mode,foo b q": ["stderr", "exitCode", "tree"],
      "links: options and errors: ln -s '' e": ["stderr"],
      "modes: options and errors: chmod 644 dang": ["stderr"],
      "modes: options and errors: chown root dang": ["stderr"],
    },
  },
  {
    reason: "install -v reports only copies and words the creation of directories differently.",
    cases: {
      "copy: options and errors: install -vD a q1/q2": ["stdout"],
      "copy: options and errors: install -vd k1/k2": ["stdout"],
      "copy: options and errors: install -v a b; cat b": ["stdout"],
    },
  },
  {
    reason:
      "mkdir and install reject a mode with chmod's message, and mkdir -p reports the whole path below a file.",
    cases: {
      "copy: options and errors: install -m zz a g": ["stderr"],
      "remove: options and errors: mkdir -m zz q": ["stderr"],
      "remove: options and errors: mkdir -p a/x": ["stderr"],
      "file-commands: mkdir -p through a file": ["stderr"],
    },
  },
  {
    reason: "chmod -v and -c print nothing.",
    cases: {
      "file-commands: chmod errors": ["stdout"],
      "modes: options and errors: chmod -v 600 f": ["stdout"],
      "modes: options and errors: chmod -v 644 f": ["stdout"],
      "modes: options and errors: chmod -c 600 f": ["stdout"],
      "modes: options and errors: chmod -vR u+w d": ["stdout"],
    },
  },
  {
    reason: "cp reports a destination with a trailing slash as missing instead of not a directory.",
    cases: {
      "copy: options and errors: cp a nodir/": ["stderr"],
      "file-commands: cp over a directory and into a missing one": ["stderr"],
    },
  },
  {
    reason: "rmdir has no --ignore-fail-on-non-empty.",
    cases: {
      "remove: options and errors: rmdir --ignore-fail-on-non-empty d; echo $?": ["stdout", "stderr"],
    },
  },
  {
    reason:
      "dd has no ibs and obs, counts in blocks only, does not pad or change case, and has no oflag=append and no products as sizes.",
    cases: {
      'dd: options and errors: dd if=a ibs=1 obs=3 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
      'dd: options and errors: dd if=n ibs=3 obs=2 of=o 2>&1 | sed "s/ copied.*/ copied/"': [
        "stdout",
        "tree",
      ],
      'dd: options and errors: dd if=a count=1B 2>&1 | sed "s/ copied.*/ copied/"': ["stdout"],
      'dd: options and errors: dd if=a bs=3 count=3 iflag=count_bytes 2>&1 | sed "s/ copied.*/ copied/"': [
        "stdout",
      ],
      'dd: options and errors: dd if=n bs=5 skip=1 iflag=skip_bytes 2>&1 | sed "s/ copied.*/ copied/"': [
        "stdout",
      ],
      'dd: options and errors: dd if=/dev/zero of=o bs=2x512 count=2 2>&1 | sed "s/ copied.*/ copied/"': [
        "stdout",
        "tree",
      ],
      "dd: options and errors: dd if=n conv=ucase status=none": ["stdout", "stderr", "exitCode"],
      "dd: options and errors, with xxd: dd if=a bs=3 conv=sync status=none | xxd": ["stdout", "stderr"],
      "dd: options and errors, with xxd: dd if=a of=n oflag=append conv=notrunc status=none; xxd n": [
        "stdout",
        "stderr",
        "tree",
      ],
      "dd: options and errors, with xxd: dd if=n of=o bs=3 seek=1 oflag=seek_bytes status=none; xxd o": [
        "stdout",
        "stderr",
        "exitCode",
        "tree",
      ],
      "file-commands: dd": ["stdout"],
    },
  },
];
