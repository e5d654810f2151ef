import type { KnownDifference } from "../known-difference.ts";

export const COPYING: readonly KnownDifference[] = [
  {
    reason: "cp has no --parents, and makes no links in place of copies (-l, -s).",
    cases: {
      "copy: options and errors: cp --parents d/x e; ls -R e": ["stdout", "tree", "stderr"],
      "copy: options and errors: cp -l a hl2; stat -c %h hl2": ["stdout", "stderr", "exitCode", "tree"],
      "copy: options and errors: cp -s a sl; readlink sl": ["stdout", "stderr", "exitCode", "tree"],
      "file-commands: cp -l and -s": ["stdout", "stderr", "exitCode", "tree"],
    },
  },
  {
    reason: "ln has neither -L nor -i, and chown no --from.",
    cases: {
      "links: options and errors: ln -L s1 t6; stat -c %F t6": ["stdout", "stderr", "exitCode", "tree"],
      "links: options and errors: ln -i -s x s1 < /dev/null; readlink s1": ["stderr"],
      "modes: what names its owners: chown --from=5 6 f; stat -c %u f": ["stderr"],
    },
  },
  {
    reason:
      "Messages of empty names, of symlinks that lead nowhere, and of unknown attributes say it otherwise.",
    cases: {
      'copy: options and errors: cp a ""': ["stderr"],
      "copy: options and errors: cp --preserve=mode,foo b q": ["stderr"],
      "links: options and errors: ln -s '' e": ["stderr"],
      "modes: options and errors: chmod 644 dang": ["stderr"],
      "modes: options and errors: chown root dang": ["stderr"],
    },
  },
];
