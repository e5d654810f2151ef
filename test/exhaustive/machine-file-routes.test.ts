import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LinuxSide, readTree } from "../../packages/durable-machine/test/contract/linux.ts";
import type { PreparedTree } from "../../packages/durable-machine/test/contract/prepared-files.ts";
import { Service } from "../conformance/service.ts";
import { FILE_CASES } from "../machine/routes/file-cases.ts";
import type { Answer, FileStep, FileStore } from "../machine/routes/file-store.ts";
import { LinuxFileStore } from "../machine/routes/linux-file-store.ts";
import { MachineFileStore } from "../machine/routes/machine-file-store.ts";
import { SessionSide } from "../machine/routes/session-side.ts";

let service: Service;
let linux: LinuxSide;
let machine: SessionSide;

beforeAll(async () => {
  service = await Service.start();
  linux = new LinuxSide();
  machine = await SessionSide.open(service.kernel());
  const tree: PreparedTree = {};
  for (const index of Object.keys(FILE_CASES).keys()) tree[`files-${index}/`] = "";
  linux.prepare(tree);
  await machine.prepare(linux.directory, tree);
});
afterAll(async () => {
  linux?.[Symbol.dispose]();
  await service?.end();
});

describe("the file endpoints do as Linux", () => {
  for (const [index, [name, steps]] of Object.entries(FILE_CASES).entries()) {
    test(name, async () => {
      const directory = `${linux.directory}/files-${index}`;
      const expected = await runAll(new LinuxFileStore(directory), steps);
      const actual = await runAll(new MachineFileStore(service.kernel(), machine, directory), steps);
      expect(actual).toEqual(expected);
      expect(await machine.readTree(directory)).toEqual(readTree(directory));
    });
  }
});

async function runAll(store: FileStore, steps: FileStep[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await step(store));
  return answers;
}
