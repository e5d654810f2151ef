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
  {
    reason: "jq refuses changes of slices, and functions that are given other functions.",
    cases: {
      'data-commands: what jq refuses: jq -c \'def twice(f): .a | f * 2; twice(.b)\' <<< \'{"a":{"b":1},"b":5}\'':
        ["stdout", "exitCode", "stderr"],
      "data-commands: what jq refuses: jq -c '.a[1:] = [9]' <<< '{\"a\":[1,2]}'": [
        "stdout",
        "exitCode",
        "stderr",
      ],
    },
  },
  {
    reason: "jq refuses calculations before `as` that have no parentheses.",
    cases: {
      "data-commands: what jq refuses: jq -n '1 + 2 as $x | $x * 10'": ["stdout", "exitCode", "stderr"],
      "data-commands: what jq refuses: jq -n 'true and false as $x | 1'": ["stdout", "exitCode", "stderr"],
    },
  },
  {
    reason: "${x~~} is not supported.",
    cases: {
      "everyday: lower and upper case": ["stdout", "exitCode", "stderr"],
    },
  },
];
