import type { KnownDifference } from "../known-difference.ts";

export const ENGINE: readonly KnownDifference[] = [
  {
    reason: "grep and sed are the interpreter's, and some rare options are not translated.",
    cases: {
      "bundled: options and errors: sed -i'old_*' 1d t; cat t old_t": [
        "stdout",
        "stderr",
        "exitCode",
        "tree",
      ],
      "grep: line buffered and other flags without effect: grep -y B <<< abc": [
        "stdout",
        "stderr",
        "exitCode",
      ],
    },
  },
];
