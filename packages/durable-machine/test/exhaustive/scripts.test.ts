import { expect, it } from "vitest";
import { onMachine } from "../shell/processes.ts";
import { RECORDED_SCRIPTS } from "./recorded-scripts.ts";

it.each(RECORDED_SCRIPTS)("does as bash with $script", ({ script, stdout, exitCode }) =>
  onMachine(async (machine) => {
    const ended = await machine.bash(script, {}, "A", "B C");
    expect({ stdout: ended.stdout, end: ended.end }).toEqual({
      stdout,
      end: { by: "exit", code: exitCode },
    });
  }),
);
