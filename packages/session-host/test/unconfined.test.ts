import { afterEach, expect, it } from "vitest";
import { RemoteMachine } from "../src/client/remote-machine.ts";
import { HOST_LIMITS, hasSandboxes } from "./host.ts";
import { HostProgram } from "./host-program.ts";

const host = new HostProgram();
afterEach(() => host.end());

const newMachine = (id: string) =>
  new RemoteMachine({
    host,
    id,
    limits: { ...HOST_LIMITS, outputBytes: 1_000_000 },
    network: { access: "none", allowPrivateAddresses: false },
    labels: {},
  });

it.runIf(hasSandboxes)("without namespaces, a host takes one machine and stops after it", async () => {
  await host.startIn([
    "bwrap",
    "--dev-bind",
    "/",
    "/",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
  ]);
  const machine = newMachine("first");
  await machine.open();
  const output: Uint8Array[] = [];
  const { ended } = await machine.processes.start(
    {
      argv: ["echo", "hello"],
      directory: "/",
      environment: {},
      user: { name: "root", uid: process.getuid?.() ?? 0, gid: 0, home: "/" },
      takesInput: false,
    },
    { onOutput: (_, bytes) => void output.push(bytes) },
  );
  expect(await ended).toEqual({ by: "exit", code: 0 });
  expect(Buffer.concat(output).toString()).toBe("hello\n");
  await expect(newMachine("second").open()).rejects.toMatchObject({ status: 503, code: "draining" });
  await machine.close();
  expect(await host.exited()).toBe(0);
});
