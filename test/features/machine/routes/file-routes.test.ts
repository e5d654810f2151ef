import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LinuxRunner, readTree } from "../../../../packages/durable-machine/test/contract/linux.ts";
import type { PreparedTree } from "../../../../packages/durable-machine/test/contract/prepared-files.ts";
import { ENGINES, type TestSession } from "./engines.ts";
import { FILE_CASES } from "./file-cases.ts";
import type { FileStep, FileStore, TestResponse } from "./file-store.ts";
import { LinuxFileStore } from "./linux-file-store.ts";
import { MachineFileStore } from "./machine-file-store.ts";
import { SessionRunner } from "./session-runner.ts";

describe.each(Object.entries(ENGINES))("the file routes over %s behave like Linux", (_, openSession) => {
  let session: TestSession;
  let linux: LinuxRunner;
  let machine: SessionRunner;

  beforeAll(async () => {
    session = await openSession();
    linux = new LinuxRunner();
    machine = new SessionRunner(session.service);
    const tree: PreparedTree = {};
    for (const index of Object.keys(FILE_CASES).keys()) tree[`${index}/`] = "";
    linux.prepare(tree);
    await machine.prepare(linux.directory, tree);
  });
  afterAll(async () => {
    linux?.[Symbol.dispose]();
    await session?.end();
  });

  for (const [index, [name, steps]] of Object.entries(FILE_CASES).entries()) {
    test(name, async () => {
      const directory = `${linux.directory}/${index}`;
      const expected = await runAll(new LinuxFileStore(directory), steps);
      const store = new MachineFileStore(session.service.kernel, machine, directory);
      expect(await runAll(store, steps)).toEqual(expected);
      expect(await machine.readTree(directory)).toEqual(readTree(directory));
    });
  }
});

async function runAll(store: FileStore, steps: FileStep[]): Promise<TestResponse[]> {
  const answers: TestResponse[] = [];
  for (const step of steps) answers.push(await step(store));
  return answers;
}
