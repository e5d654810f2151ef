import type { KnownDifference } from "../known-difference.ts";

export const INTERPRETER: readonly KnownDifference[] = [
  {
    reason: "References to arrays are refused.",
    cases: { "arrays: a name reference": ["stdout", "stderr", "exitCode"] },
  },
  {
    reason:
      "A local array is declared before its elements are expanded, so it cannot be filled from one of the same name.",
    cases: {
      "arrays: a local array of the name that it is filled from": ["stdout"],
    },
  },
  {
    reason: "declare -r does not protect an array that it initializes.",
    cases: {
      "arrays: read only arrays": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "$? is 0 in the first command of a loop with break or continue.",
    cases: {
      "control-flow: the status of a loop that is left, and of what is before it": ["stdout"],
    },
  },
];
