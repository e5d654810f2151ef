import { describe, expect, it } from "vitest";
import { ROOT } from "../../../../src/machine/users.ts";
import { type Ended, onMachine } from "../processes.ts";
import basename from "./recorded/basename.json";
import cut from "./recorded/cut.json";
import paste from "./recorded/paste.json";
import seq from "./recorded/seq.json";
import sort from "./recorded/sort.json";
import tac from "./recorded/tac.json";
import tr from "./recorded/tr.json";
import uniq from "./recorded/uniq.json";

/** What the text tools of Debian 12 (coreutils 9.1) answer in the locale C. */
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

const RECORDINGS: Record<string, readonly Recording[]> = { basename, cut, paste, seq, sort, tac, tr, uniq };

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

const TIMEOUT_MS = 120_000;

describe.each(Object.entries(RECORDINGS))("%s", (_name, recordings) => {
  it.each(recordings)(
    "does as the program itself after $setup",
    ({ setup, cases }) =>
      onMachine(async (machine) => {
        for (const recorded of cases) {
          machine.files.makeDirectory(CASE, ROOT);
          const prepared = await machine.bash(setup, { directory: CASE });
          expect(prepared).toMatchObject({ stderr: "", end: { by: "exit", code: 0 } });
          const ended = await machine.bash(recorded.script, { directory: CASE });
          expect.soft(caseOf(recorded.script, ended)).toEqual(recorded);
          await machine.files.removeTree(CASE, ROOT);
        }
      }),
    TIMEOUT_MS,
  );
});
