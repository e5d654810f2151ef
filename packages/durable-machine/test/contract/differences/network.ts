import type { KnownDifference } from "../known-difference.ts";

export const NETWORK: readonly KnownDifference[] = [
  {
    reason: "xargs has no -s.",
    cases: {
      "find: xargs with a command that reads": ["stdout", "stderr", "exitCode"],
      "xargs: options and errors: echo 1 2 3 4 5 | xargs -s 12 echo": ["stdout", "stderr", "exitCode"],
      "xargs: options and errors: echo 1 2 3 4 5 | xargs -s 9 echo": ["stdout", "stderr", "exitCode"],
    },
  },
];
