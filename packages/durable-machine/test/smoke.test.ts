import { expect, it } from "vitest";
import { DurableMachine } from "../src/index.ts";
import { IDENTITY, KERNEL_USER, onError } from "./identity.ts";
import { Storage } from "./storage.ts";

it("runs scripts and keeps files across a restart", async () => {
  using storage = new Storage();
  const limits = { fileQuotaBytes: 2 ** 20, processOutputBytes: 2 ** 20, processes: 8 };
  const fetch = () => Promise.reject(new Error("no network in tests"));
  const open = async () => {
    const machine = new DurableMachine({ storage, identity: IDENTITY, limits, fetch, onError });
    await machine.open();
    return machine;
  };
  const run = async (machine: DurableMachine, script: string) => {
    let output = "";
    const process = await machine.processes.start(
      {
        argv: ["bash", "-c", script],
        directory: KERNEL_USER.home,
        environment: {},
        user: KERNEL_USER,
        takesInput: false,
      },
      {
        onOutput: (_, bytes) => {
          output += new TextDecoder().decode(bytes);
        },
      },
    );
    return { end: await process.ended, output };
  };
  const first = await open();
  const { end, output } = await run(first, "seq 3 | sort -r > numbers; ls -l | wc -l; cat missing");
  expect(output).toBe("3\ncat: missing: No such file or directory\n");
  expect(end).toEqual({ by: "exit", code: 1 });
  await first.close();
  const second = await open();
  expect((await run(second, "cat numbers; id -un")).output).toBe("3\n2\n1\nkernel\n");
  await second.close();
});
