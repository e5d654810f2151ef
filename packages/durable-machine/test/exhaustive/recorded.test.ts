import { describe, expect, it } from "vitest";
import { ROOT, ROOT_USER } from "../../src/users.ts";
import { KERNEL_USER } from "../identity.ts";
import { type Ended, onMachine } from "../shell/processes.ts";
import rights from "./recorded/rights.json";

/**
 * Output of Debian 12 (coreutils 9.1, diffutils 3.8) that a comparison with a live Linux cannot show: as an
 * ordinary user among files of others, and in the locale C.
 */
interface Recording {
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

const RECORDINGS: Record<string, readonly Recording[]> = { rights };

const CASE = "/case";

/** The result in the format of recordings, without empty and zero values. */
function caseOf(script: string, { stdout, stderr, end }: Ended): RecordedCase {
  const exitCode = end.by === "exit" ? end.code : -1;
  return {
    script,
    ...(stdout === "" ? {} : { stdout }),
    ...(stderr === "" ? {} : { stderr }),
    ...(exitCode === 0 ? {} : { exitCode }),
  };
}

const ORDINARY_USER_AREAS = ["rights"];

const TIMEOUT_MS = 120_000;

describe.each(Object.entries(RECORDINGS))("%s", (area, recordings) => {
  const user = ORDINARY_USER_AREAS.includes(area) ? KERNEL_USER : ROOT_USER;
  it.each(recordings)(
    "matches the recorded program after $setup",
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
