import { describe, expect, it } from "vitest";
import { KERNEL_USER, ROOT, ROOT_USER } from "../../../../src/machine/users.ts";
import { type Ended, onMachine } from "../processes.ts";
import basename from "./recorded/basename.json";
import cmp from "./recorded/cmp.json";
import copy from "./recorded/copy.json";
import cut from "./recorded/cut.json";
import dd from "./recorded/dd.json";
import diff from "./recorded/diff.json";
import links from "./recorded/links.json";
import loops from "./recorded/loops.json";
import ls from "./recorded/ls.json";
import mktemp from "./recorded/mktemp.json";
import modes from "./recorded/modes.json";
import od from "./recorded/od.json";
import paste from "./recorded/paste.json";
import remove from "./recorded/remove.json";
import rights from "./recorded/rights.json";
import seq from "./recorded/seq.json";
import shell from "./recorded/shell.json";
import sort from "./recorded/sort.json";
import stat from "./recorded/stat.json";
import sums from "./recorded/sums.json";
import tac from "./recorded/tac.json";
import tar from "./recorded/tar.json";
import text from "./recorded/text.json";
import touch from "./recorded/touch.json";
import tr from "./recorded/tr.json";
import truncate from "./recorded/truncate.json";
import uniq from "./recorded/uniq.json";
import xargs from "./recorded/xargs.json";
import xxd from "./recorded/xxd.json";

/** What the programs of Debian 12 (coreutils 9.1, diffutils 3.8, findutils 4.9, tar 1.34, xxd 2022) answer in the locale C. */
interface Recording {
  /** Runs before each case, in an empty directory. */
  setup: string;
  cases: readonly RecordedCase[];
}

interface RecordedCase {
  script: string;
  /** A character for each byte. */
  stdout?: string;
  stderr?: string;
  exitCode?: number;
}

const RECORDINGS: Record<string, readonly Recording[]> = {
  basename,
  cmp,
  copy,
  cut,
  dd,
  diff,
  links,
  loops,
  ls,
  mktemp,
  modes,
  od,
  paste,
  remove,
  rights,
  seq,
  shell,
  sort,
  stat,
  sums,
  tac,
  tar,
  text,
  touch,
  tr,
  truncate,
  uniq,
  xargs,
  xxd,
};

const CASE = "/case";

/** What happened, as it would have been recorded: without what is empty or nought. */
function caseOf(script: string, { stdout, stderr, end }: Ended): RecordedCase {
  const exitCode = end.by === "exit" ? end.code : -1;
  return {
    script,
    ...(stdout === "" ? {} : { stdout }),
    ...(stderr === "" ? {} : { stderr }),
    ...(exitCode === 0 ? {} : { exitCode }),
  };
}

/** Recordings of what somebody may do who is not root. */
const ORDINARY_USERS_AREAS = ["rights"];

const TIMEOUT_MS = 120_000;

describe.each(Object.entries(RECORDINGS))("%s", (area, recordings) => {
  const user = ORDINARY_USERS_AREAS.includes(area) ? KERNEL_USER : ROOT_USER;
  it.each(recordings)(
    "does as the program itself after $setup",
    ({ setup, cases }) =>
      onMachine(async (machine) => {
        for (const recorded of cases) {
          machine.files.makeDirectory(CASE, ROOT);
          const prepared = await machine.bash(setup, { directory: CASE });
          expect(prepared).toMatchObject({ stderr: "", end: { by: "exit", code: 0 } });
          const ended = await machine.bash(recorded.script, { directory: CASE, user });
          expect.soft(caseOf(recorded.script, ended)).toEqual(recorded);
          await machine.files.removeTree(CASE, ROOT);
        }
      }),
    TIMEOUT_MS,
  );
});
