/** Variables of the shell's own; bash reserves their prefix for itself. */
export const VARIABLES = {
  /** The descriptors of what the code at hand has for its standard output and error. */
  stdout: "BASH_STDOUT_FD",
  stderr: "BASH_STDERR_FD",
  /** What the two were before a call that changes them. */
  outerStdout: "BASH_OUTER_STDOUT_FD",
  outerStderr: "BASH_OUTER_STDERR_FD",
  /** Set where standard input is the process's own, which comes while it runs. */
  liveInput: "BASH_LIVE_INPUT",
  /** The beginning of the names of what commands give to arithmetic. */
  arithmetic: "BASH_ARITHMETIC",
  /** What a declaration is about to fill an array with. */
  array: "BASH_ARRAY_ELEMENTS",
  /** The beginning of the names of arrays that hold the directories of a pattern. */
  directories: "BASH_DIRECTORIES",
  /** A command's name as it was given. */
  calledAs: "BASH_CALLED_AS",
  /** The descriptors that a command may write to by itself, where it may. */
  direct: "BASH_DIRECT_OUTPUT",
  directError: "BASH_DIRECT_ERROR",
  /** Set in subshells, which have no traps. */
  subshell: "BASH_IN_SUBSHELL",
  /** Never set. A command that expands to nothing does nothing and keeps `$?`. */
  empty: "BASH_EMPTY",
  /** What the next `eval` runs, the handler that is about to run, and the code that the shell is about to exit with. */
  evaluated: "BASH_EVALUATED",
  handler: "BASH_TRAP_HANDLER",
  status: "BASH_EXIT_STATUS",
  /** `$?` at the beginning of a loop's body. */
  statusBefore: "BASH_STATUS_BEFORE",
  /** An array with an empty element for lengths of strings that are short enough, and the element of the one at hand. */
  short: "BASH_SHORT_STRING",
  length: "BASH_STRING_LENGTH",
  /** The number of the last background job: `$!`. */
  jobPid: "BASH_JOB_PID",
} as const;

const OWN_VARIABLES: ReadonlySet<string> = new Set(Object.values(VARIABLES));

export function isOwnVariable(name: string): boolean {
  const isNumbered = name.startsWith(VARIABLES.arithmetic) || name.startsWith(VARIABLES.directories);
  return OWN_VARIABLES.has(name) || isNumbered || !/^[A-Za-z_]/.test(name);
}

/** Descriptors that scripts are not expected to use themselves. */
export const DESCRIPTORS = {
  /** The process's own standard output and error. */
  processStdout: 1001,
  processStderr: 1002,
  /** What a redirected compound command or function has in their place. */
  scopeStdout: 1003,
  scopeStderr: 1004,
  /** What `exec >file` has put in their place for the rest of the script. */
  execStdout: 1005,
  execStderr: 1006,
  /** On which a device is read for what reading it brings about. */
  device: 1007,
} as const;

export const DEVICES = {
  stdout: "/dev/.stdout",
  stderr: "/dev/.stderr",
  /** Reading it gives others their turn. */
  turn: "/dev/.turn",
  /** Reading it says that the file that is read next holds commands. */
  source: "/dev/.source",
  /** Followed by the number of a function definition, which reading it puts into force. */
  defined: "/dev/.defined/",
  pipe: "/dev/.pipe/",
  /** The process's input as it comes, whole, and up to what the options behind the path ask `read` for. */
  input: "/dev/.input",
  wholeInput: "/dev/.whole-input",
  inputLine: "/dev/.input-line:",
} as const;

export const COMMAND_DIRECTORY = "/usr/bin";

export const OWN_COMMANDS = {
  job: ".job",
  prepareEval: ".eval",
  prepareExit: ".exit",
  checkSignals: ".signals",
  script: ".script",
  status: ".status",
  nextCommand: ".next",
} as const;

/** The device that holds a pipe's bytes between two stages. `depth` tells the calls of a recursive function apart. */
export function pipePath(id: number, depth: string): string {
  return `${DEVICES.pipe}${id}/${depth}`;
}
