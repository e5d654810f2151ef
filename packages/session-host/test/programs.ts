import type { ProcessEnd } from "durable-machine";
import { RemoteMachine, type RemoteMachineLimits } from "../src/client/remote-machine.ts";
import { HOST_LIMITS, type TestHost } from "./host.ts";

export const USERS = {
  kernel: { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" },
  root: { name: "root", uid: 0, gid: 0, home: "/root" },
};

export type UserName = keyof typeof USERS;

/** A machine of a host, not yet open. */
export function machineOf(
  host: TestHost,
  id: string,
  limits: Partial<RemoteMachineLimits> = {},
): RemoteMachine {
  return new RemoteMachine({
    host,
    id,
    limits: { ...HOST_LIMITS, outputBytes: 2 ** 24, ...limits },
    network: { access: "all", allowPrivateAddresses: false },
    labels: {},
  });
}

export interface Run {
  output: string;
  end: ProcessEnd;
}

/** Runs a program to its end. */
export async function run(
  machine: RemoteMachine,
  argv: [string, ...string[]],
  { user = "kernel" }: { user?: UserName } = {},
): Promise<Run> {
  let output = "";
  const decoder = new TextDecoder();
  const request = { argv, directory: "/tmp", environment: {}, user: USERS[user], takesInput: false };
  const process = await machine.processes.start(request, {
    onOutput: (_, bytes) => {
      output += decoder.decode(bytes, { stream: true });
    },
  });
  const end = await process.ended;
  return { output, end };
}

/** Runs a script of bash. @returns what it prints, without the last line break. */
export async function bash(machine: RemoteMachine, script: string, user?: UserName): Promise<string> {
  return (await run(machine, ["bash", "-c", script], { user })).output.trimEnd();
}
