import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCases } from "../../durable-machine/test/contract/case.ts";
import { hasProgram, IS_ROOT, LinuxRunner } from "../../durable-machine/test/contract/linux.ts";
import { MachineRunner } from "../../durable-machine/test/contract/machine.ts";
import { prepareCases } from "../../durable-machine/test/contract/prepared-files.ts";
import { RemoteMachine } from "../src/client/remote-machine.ts";
import { HOST_LIMITS, hasSandboxes, startHost, type TestHost } from "./host.ts";

/** One of so many of the simulated machine's scripts. */
const SHARE = 40;

const cases = readCases().filter(
  ({ needs, only }, index) =>
    index % SHARE === 0 && needs.every(hasProgram) && (only === undefined || (only === "root") === IS_ROOT),
);

describe.runIf(hasSandboxes)("scripts do in a sandbox what they do outside", () => {
  const linux = new LinuxRunner();
  let host: TestHost;
  let machine: MachineRunner;

  beforeAll(async () => {
    host = await startHost();
    const tree = prepareCases(cases);
    linux.prepare(tree);
    machine = new MachineRunner(
      new RemoteMachine({
        host,
        id: "machine",
        limits: { ...HOST_LIMITS, outputBytes: 2 ** 24 },
        network: { access: "none", allowPrivateAddresses: false },
        labels: {},
      }),
    );
    await machine.prepare(linux.directory, tree);
  });
  afterAll(async () => {
    linux[Symbol.dispose]();
    await machine[Symbol.asyncDispose]();
    await host.close();
  });

  it.each(cases.map((contractCase, index) => ({ ...contractCase, index })))("$name", async (contractCase) => {
    const directory = `${linux.directory}/${contractCase.index}`;
    const expected = await linux.run(contractCase, directory);
    expect(await machine.run(contractCase, directory)).toEqual(expected);
  });
});
