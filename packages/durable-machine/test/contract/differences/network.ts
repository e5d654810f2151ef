import type { KnownDifference } from "../known-difference.ts";

export const NETWORK: readonly KnownDifference[] = [
  {
    reason: "xargs and nohup report the shell's message for a program that cannot run.",
    cases: {
      "find: exit codes of xargs: echo a | xargs nosuch; echo $?": ["stderr"],
      "truncate: options and errors: nohup nope-x": ["stderr"],
      "xargs: options and errors: echo a | xargs nope-nope": ["stderr"],
    },
  },
  {
    reason: "xargs has no -s.",
    cases: {
      "find: xargs with a command that reads": ["stdout", "stderr", "exitCode"],
      "xargs: options and errors: echo 1 2 3 4 5 | xargs -s 12 echo": ["stdout", "stderr", "exitCode"],
      "xargs: options and errors: echo 1 2 3 4 5 | xargs -s 9 echo": ["stdout", "stderr", "exitCode"],
    },
  },
];
