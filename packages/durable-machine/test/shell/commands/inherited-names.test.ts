import { describe, expect, it } from "vitest";
import { onMachine } from "../processes.ts";

describe.each([
  ["tr '[:NAME:]' x", /invalid character class/, 1],
  ["echo a | xargs -d NAME echo", /delimiter|^$/, undefined],
  ["printenv NAME", /^$/, 1],
  ["head -c 1NAME /etc/passwd", /invalid/, 1],
  ["truncate -s NAME f", /nvalid/, 1],
  ["NAME", /not found/, 127],
  ["dd NAME=1", /unrecognized operand/, 1],
  ["ls --sort=NAME", /invalid|ambiguous/, 1],
  ["date -d NAME", /invalid date/, 1],
  ["kill -NAME 1", /invalid|NAME/, undefined],
  ["ps -o NAME", /unknown/, 1],
])("%s", (script, message, code) => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("does not know %s", (name) =>
    onMachine(async (machine) => {
      const { stdout, stderr, end } = await machine.bash(script.replaceAll("NAME", name));
      expect(stdout + stderr).not.toMatch(/native code|\[object|TypeError|is not a function|undefined/);
      expect(stderr).toMatch(code === undefined ? /(?:)/ : message);
      if (code !== undefined) expect(end).toMatchObject({ code });
    }),
  );
});
