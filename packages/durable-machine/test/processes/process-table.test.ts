import { expect, it } from "vitest";
import { ProcessTable } from "../../src/processes/process-table.ts";
import { ROOT_USER } from "../../src/users.ts";
import { KERNEL_USER } from "../identity.ts";

const process = { parentPid: 1, user: KERNEL_USER, command: "sleep 9", startedAt: 5 };

it("numbers processes, and lists them until they end", () => {
  const table = new ProcessTable(4);
  const first = table.add(process, () => {});
  const second = table.add({ ...process, user: ROOT_USER }, () => {});
  expect(first).toBeGreaterThanOrEqual(100);
  expect(second).toBeGreaterThan(first);
  table.remove(first);
  expect(table.list()).toEqual([{ ...process, user: ROOT_USER, pid: second }]);
});

it("refuses more than there may be, until one ends", () => {
  const table = new ProcessTable(1);
  const pid = table.add(process, () => {});
  expect(() => table.add(process, () => {})).toThrow("fork: Resource temporarily unavailable");
  table.remove(pid);
  expect(table.add(process, () => {})).toBeGreaterThan(pid);
});

it.each([
  ["its owner", KERNEL_USER, KERNEL_USER, "killed"],
  ["root", KERNEL_USER, ROOT_USER, "killed"],
  ["somebody else", ROOT_USER, KERNEL_USER, "not_permitted"],
] as const)("lets %s signal a process, or not", (_, user, sender, answer) => {
  const table = new ProcessTable(1);
  const signals: string[] = [];
  const pid = table.add({ ...process, user }, (signal) => signals.push(signal));
  expect(table.kill(pid, "TERM", sender)).toBe(answer);
  expect(signals).toEqual(answer === "killed" ? ["TERM"] : []);
  expect(table.kill(pid + 1, "TERM", sender)).toBe("not_found");
});
