import { expect, it } from "vitest";
import { parseDate, parseStamp } from "../../../src/shell/commands/parse-date.ts";
import { ROOT } from "../../../src/users.ts";
import { KERNEL_USER } from "../../identity.ts";
import { DIRECTORY, onMachine } from "../processes.ts";

const NOW = Date.UTC(2026, 10, 20, 15, 30, 45, 500);
const DAY = 24 * 60 * 60 * 1000;

it.each([
  ["now", NOW],
  ["today", NOW],
  ["yesterday", NOW - DAY],
  ["tomorrow", NOW + DAY],
  ["3 days ago", NOW - 3 * DAY],
  ["-1 week", NOW - 7 * DAY],
  ["2 hours", NOW + DAY / 12],
  ["1 year ago", Date.UTC(2025, 10, 20, 15, 30, 45, 500)],
  ["last month", Date.UTC(2026, 9, 20, 15, 30, 45, 500)],
  ["next monday", Date.UTC(2026, 10, 23)],
  ["next friday", Date.UTC(2026, 10, 27)],
  ["10:00", Date.UTC(2026, 10, 20, 10)],
  ["yesterday 08:15", Date.UTC(2026, 10, 19, 8, 15)],
  ["", Date.UTC(2026, 10, 20)],
  ["Jan 5", Date.UTC(2026, 0, 5)],
])("parseDate reads %j relative to now", (text, time) => {
  expect(parseDate(text, NOW)).toBe(time);
});

it.each([["garbage"], ["2020-13-01"], ["25:00"], ["2020-01-01 garbage"], ["1 fortday ago"]])(
  "parseDate rejects %j",
  (text) => {
    expect(parseDate(text, NOW)).toBeUndefined();
  },
);

it("parseStamp completes the century and the year", () => {
  expect(parseStamp("01020304", NOW)).toBe(Date.UTC(2026, 0, 2, 3, 4));
  expect(parseStamp("6801020304", NOW)).toBe(Date.UTC(2068, 0, 2, 3, 4));
  expect(parseStamp("6901020304.05", NOW)).toBe(Date.UTC(1969, 0, 2, 3, 4, 5));
  expect(parseStamp("99", NOW)).toBeUndefined();
});

it("allows users with write permission to set the current time only", () =>
  onMachine(async (machine) => {
    const path = `${DIRECTORY}/f`;
    machine.files.writeAll(path, new Uint8Array(3), ROOT);
    machine.files.changeMode(path, ROOT, 0o666);
    machine.files.setTimes(path, ROOT, { accessedAt: 0, modifiedAt: 0 });
    const refused = await machine.bash("touch -d 2020-01-01 f", { user: KERNEL_USER });
    expect(refused.stderr).toBe("touch: setting times of 'f': Operation not permitted\n");
    expect(machine.files.status(path, ROOT).modifiedAt).toBe(0);
    const allowed = await machine.bash("touch f", { user: KERNEL_USER });
    expect(allowed).toMatchObject({ stderr: "", end: { by: "exit", code: 0 } });
    expect(machine.files.status(path, ROOT)).toMatchObject({ size: 3 });
    expect(machine.files.status(path, ROOT).modifiedAt).toBeGreaterThan(0);
  }));
