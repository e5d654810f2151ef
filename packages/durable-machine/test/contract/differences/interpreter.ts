import type { KnownDifference } from "../known-difference.ts";

export const INTERPRETER: readonly KnownDifference[] = [
  {
    reason:
      "A local array is declared before its elements are expanded: it cannot be filled from one of its name.",
    cases: {
      "arrays: a local array of the name that it is filled from": ["stdout"],
    },
  },
  {
    reason: "declare -r does not protect an array that it fills.",
    cases: {
      "arrays: read only arrays": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "The first command of a loop with break or continue finds 0 in $?.",
    cases: {
      "control-flow: the status of a loop that is left, and of what is before it": ["stdout"],
    },
  },
];
