/** Bash reserves names that begin with `BASH_` for itself. */
const OWN_PREFIX = "BASH_MACHINE_";

/** Variables that transformed scripts use in addition to their own. */
export const VARIABLES = {
  /** Set where standard input is the process's own, which arrives while the script runs. */
  liveInput: `${OWN_PREFIX}LIVE_INPUT`,
  arithmetic: `${OWN_PREFIX}ARITHMETIC`,
  directories: `${OWN_PREFIX}DIRECTORIES`,
  index: `${OWN_PREFIX}INDEX`,
  calledAs: `${OWN_PREFIX}CALLED_AS`,
  /** Never set. */
  empty: `${OWN_PREFIX}EMPTY`,
  evaluated: `${OWN_PREFIX}EVALUATED`,
  handler: `${OWN_PREFIX}HANDLER`,
  status: `${OWN_PREFIX}STATUS`,
  /** An array with one empty element, whose index stands for strings that are short enough. */
  short: `${OWN_PREFIX}SHORT`,
  length: `${OWN_PREFIX}LENGTH`,
  jobPid: `${OWN_PREFIX}JOB_PID`,
} as const;

export function isOwnVariable(name: string): boolean {
  return name.startsWith(OWN_PREFIX) || !/^[A-Za-z_]/.test(name);
}

/** Descriptors that transformed scripts use beside those of the scripts themselves. */
export const DESCRIPTORS = {
  /** They stand for 1 and 2: a redirection of one of them holds for all commands inside it. */
  stdout: 1001,
  stderr: 1002,
  /** Open in subshells, which have no traps. */
  subshell: 1003,
  /** A device is opened on it for the effect of reading it. */
  device: 1004,
} as const;

export const DEVICES = {
  stdout: "/dev/.stdout",
  stderr: "/dev/.stderr",
  /** Reading it gives other sessions a turn. */
  turn: "/dev/.turn",
  /** Reading it announces that the file which is read next holds commands. */
  source: "/dev/.source",
  /** Followed by the number of a function definition, which takes effect when it is read. */
  defined: "/dev/.defined/",
  pipe: "/dev/.pipe/",
  /** The process's input as it arrives. */
  input: "/dev/.input",
  wholeInput: "/dev/.whole-input",
  /** Followed by options of `read`: the next line of the process's input. */
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
