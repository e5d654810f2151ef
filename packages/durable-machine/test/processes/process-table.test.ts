import { expect, it } from "vitest";
import { ProcessTable } from "../../src/processes/process-table.ts";
import { ROOT_USER } from "../../src/users.ts";
import { KERNEL_USER } from "../identity.ts";

const process = { parentPid: 1, user: KERNEL_USER, command: "sleep 9", startedAt: 5 };

it("assigns pids and lists processes until they end", () => {
  const table = new ProcessTable(4);
  const first = table.add(process, () => {});
  const second = table.add({ ...process, user: ROOT_USER }, () => {});
  expect(first).toBeGreaterThanOrEqual(100);
  expect(second).toBeGreaterThan(first);
  table.remove(first);
  expect(table.list()).toEqual([{ ...process, user: ROOT_USER, pid: second }]);
});

it("limits the number of processes", () => {
  const table = new ProcessTable(1);
  const pid = table.add(process, () => {});
  expect(() => table.add(process, () => {})).toThrow("fork: Resource temporarily unavailable");
  table.remove(pid);
  expect(table.add(process, () => {})).toBeGreaterThan(pid);
});

it.each([
  ["its owner", KERNEL_USER, KERNEL_USER, "killed"],
  ["root", KERNEL_USER, ROOT_USER, "killed"],
  ["another user", ROOT_USER, KERNEL_USER, "not_permitted"],
] as const)("handles signals of %s", (_, user, sender, result) => {
  const table = new ProcessTable(1);
  const signals: string[] = [];
  const pid = table.add({ ...process, user }, (signal) => signals.push(signal));
  expect(table.kill(pid, "TERM", sender)).toBe(result);
  expect(signals).toEqual(result === "killed" ? ["TERM"] : []);
  expect(table.kill(pid + 1, "TERM", sender)).toBe("not_found");
});
