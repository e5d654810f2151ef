import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MachineProcess } from "durable-machine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HostError, RemoteMachine } from "../src/client/remote-machine.ts";
import { HAS_USERS } from "../src/server/index.ts";
import { type Escape, listEscapes, type Surroundings } from "./escapes.ts";
import { HOST_LIMITS, hasSandboxes, startHost, type TestHost } from "./host.ts";

const MEBIBYTE = 2 ** 20;

const LIMITS = {
  ...HOST_LIMITS,
  fileBytes: 64 * MEBIBYTE,
  files: 5000,
  tasks: 200,
  memoryBytes: 512 * MEBIBYTE,
  outputBytes: 4 * MEBIBYTE,
};

const USERS = {
  kernel: { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" },
  root: { name: "root", uid: 0, gid: 0, home: "/root" },
};

const SECRET = "secret-of-another-machine";

// The names of the cases must be known before the host runs.
const NAMES = listEscapes({
  secret: "",
  argument: "",
  port: 0,
  token: "",
  abstractSocket: "",
  socketPath: "",
});
const ATTEMPTS = NAMES.flatMap(({ name, as }, index) =>
  (as ? [as] : (["kernel", "root"] as const)).map((user) => ({ name, user, index })),
);

describe.runIf(hasSandboxes && process.arch === "x64")("a hostile program", () => {
  const folder = mkdtempSync(join(tmpdir(), "escapes-"));
  const sockets: Server[] = [];
  let host: TestHost;
  let attacker: RemoteMachine;
  let victim: RemoteMachine;
  let escapes: Escape[];

  beforeAll(async () => {
    host = await startHost();
    const around: Surroundings = {
      secret: SECRET,
      argument: "98765.5",
      port: Number(new URL(host.url).port),
      token: host.token,
      abstractSocket: `escapes-${process.pid}`,
      socketPath: join(folder, "socket"),
    };
    for (const path of [`\0${around.abstractSocket}`, around.socketPath]) {
      const server = createServer();
      await once(server.listen(path), "listening");
      sockets.push(server);
    }
    process.env.TOKEN_OF_THE_HOST = host.token;
    [attacker, victim] = await Promise.all([newMachine("attacker"), newMachine("victim")]);
    await victim.files.write("/home/kernel/secret", new Blob([SECRET]).stream());
    await start(victim, "kernel", `exec sleep ${around.argument}`, { SECRET });
    await start(victim, "kernel", "exec python3 -m http.server 9000");
    escapes = listEscapes(around);
  });
  afterAll(async () => {
    for (const server of sockets) server.close();
    await host.close();
    rmSync(folder, { recursive: true });
  });

  async function newMachine(id: string): Promise<RemoteMachine> {
    const network = { access: "all", allowPrivateAddresses: false } as const;
    const machine = new RemoteMachine({ host, id, limits: LIMITS, network, labels: {} });
    await machine.open();
    return machine;
  }

  async function start(
    machine: RemoteMachine,
    user: keyof typeof USERS,
    script: string,
    environment: Record<string, string> = {},
    onOutput: (text: string) => void = () => undefined,
  ): Promise<MachineProcess> {
    return await machine.processes.start(
      { argv: ["bash", "-c", script], directory: "/tmp", environment, user: USERS[user], takesInput: false },
      { onOutput: (_, bytes) => onOutput(Buffer.from(bytes).toString()) },
    );
  }

  async function run(machine: RemoteMachine, user: keyof typeof USERS, script: string): Promise<string> {
    let output = "";
    const process = await start(machine, user, `${script}\necho done`, {}, (text) => {
      output += text;
    });
    await process.ended;
    return output;
  }

  it.each(ATTEMPTS)("does not $name as $user", async ({ index, user }) => {
    if (user === "root" && !HAS_USERS) return;
    const output = await run(attacker, user, escapes[index]?.script ?? "");
    expect(output).not.toContain("ESCAPED");
    expect(output).toMatch(/done\n$/);
    expect(await run(victim, "kernel", "cat ~/secret")).toBe(`${SECRET}done\n`);
  });

  it("does not read the computer's files by a symlink that the host follows", async () => {
    await attacker.files.symlink("/etc/shadow", "/tmp/shadow");
    await attacker.files.symlink("/proc/1/root/etc/shadow", "/tmp/root-shadow");
    await attacker.files.symlink(folder, "/tmp/folder");
    for (const path of ["/tmp/shadow", "/tmp/root-shadow", "/tmp/folder/socket", "/../../etc/shadow"])
      await expect(attacker.files.read(path)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(attacker.files.write("/tmp/folder/new", new Blob(["x"]).stream())).rejects.toThrow();
  });

  it("that uses up the memory ends at most its own machine", async () => {
    const greedy = await newMachine("greedy");
    await run(greedy, "kernel", "python3 -c 'x = [bytearray(50_000_000) for _ in range(1000)]'").catch(
      () => undefined,
    );
    expect(await run(victim, "kernel", "cat ~/secret")).toBe(`${SECRET}done\n`);
    await greedy.close();
  });

  it("that writes without end is stopped, and the host answers others", async () => {
    const endless = await start(attacker, "kernel", "yes");
    expect(await endless.ended).toMatchObject({ by: "limit" });
    const line = await start(attacker, "kernel", "cat /dev/zero");
    expect(await line.ended).toMatchObject({ by: "limit" });
    expect(await run(victim, "kernel", "cat ~/secret")).toBe(`${SECRET}done\n`);
  });

  it.runIf(HAS_USERS)("that writes in place of the agent does not harm the host", async () => {
    const impostor = await newMachine("impostor");
    // pidfd_open and pidfd_getfd; then the preface of HTTP/2 is followed by nonsense, or by a frame that is too long.
    const script = `python3 -c '
import ctypes, os, sys
libc = ctypes.CDLL(None)
fd = libc.syscall(438, libc.syscall(434, 2, 0), 3, 0)
print(fd)
sys.stdout.flush()
while True: os.write(fd, bytes.fromhex("ffffff0004ffffffff") + b"HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n" * 100)'`;
    await run(impostor, "root", script).catch(() => undefined);
    const state = async () => {
      const error = await impostor.resume().catch((reason: unknown) => reason);
      return error instanceof HostError ? error.code : "running";
    };
    await expect.poll(state).toBe("machine_ended");
    expect(await run(victim, "kernel", "cat ~/secret")).toBe(`${SECRET}done\n`);
  });

  it.runIf(HAS_USERS)("that ends the agent ends its own machine", async () => {
    const suicidal = await newMachine("suicidal");
    await start(suicidal, "root", "kill -9 2").catch(() => undefined);
    const error = await run(suicidal, "kernel", "true").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HostError);
    await expect(suicidal.resume()).rejects.toMatchObject({ status: 410, code: "machine_ended" });
    expect(await run(victim, "kernel", "cat ~/secret")).toBe(`${SECRET}done\n`);
  });
});
