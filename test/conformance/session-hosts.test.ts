import Kernel from "@onkernel/sdk";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hasSandboxes } from "../../packages/session-host/test/host.ts";
import { HostProgram } from "../../packages/session-host/test/host-program.ts";
import { Processes } from "./machine-api.ts";
import { Service } from "./service.ts";

const TIMEOUT_MS = 60_000;

const PRICE_PER_HOUR = 3.6;

describe.runIf(hasSandboxes)("session hosts", () => {
  const cheap = new HostProgram();
  const other = new HostProgram();
  let service: Service;
  let kernel: Kernel;

  beforeAll(async () => {
    await Promise.all([cheap.start("--prepared", "0"), other.start("--prepared", "0")]);
    const hosts = [
      { name: "other", url: other.url, token: other.token, price_per_hour: 2 * PRICE_PER_HOUR },
      { name: "cheap", url: cheap.url, token: cheap.token, price_per_hour: PRICE_PER_HOUR },
    ];
    service = await Service.start({ settings: { HOSTS: JSON.stringify(hosts), MACHINE: "linux" } });
    kernel = service.kernel();
    for (const { token } of [cheap, other]) service.keepSecret(token);
  });
  afterAll(async () => {
    await service?.end();
    await Promise.all([cheap.end(), other.end()]);
  });

  async function openSession() {
    const session = await kernel.browsers.create({ timeout_seconds: 600, headless: true });
    return { id: session.session_id, processes: new Processes(kernel, session.session_id) };
  }

  async function runIn({ processes }: { processes: Processes }, script: string): Promise<string> {
    return (await processes.exec({ command: "bash", args: ["-c", script] })).out;
  }

  async function refusalOf(work: Promise<unknown>) {
    const error = await work.catch((reason: unknown) => reason);
    if (!(error instanceof Kernel.APIError)) throw new Error("expected an API error", { cause: error });
    return { status: error.status, message: error.message };
  }

  const sessionsOn = async (host: HostProgram) => (await host.machines()).map(({ labels }) => labels.session);

  test("run the machines of sessions, the cheapest first, and end them with the session", async () => {
    const session = await openSession();
    expect(await runIn(session, "python3 -c 'print(6 * 7)'; whoami")).toBe("42\nkernel\n");
    expect(await sessionsOn(cheap)).toEqual([session.id]);
    expect(await sessionsOn(other)).toEqual([]);
    await kernel.browsers.deleteByID(session.id);
    await vi.waitFor(async () => expect(await cheap.machines()).toEqual([]), TIMEOUT_MS);
  });

  test("charge their price by the hour", async () => {
    const read = async () => (await service.send("GET", "/org/usage")).json();
    await vi.waitFor(
      async () => expect((await read()).total.linux_machine_seconds).toBeGreaterThan(0),
      TIMEOUT_MS,
    );
    const { total } = await read();
    const { linux_machine_seconds: seconds, linux_machine_usd: dollars, estimated_usd: estimated } = total;
    expect(dollars).toBeCloseTo((seconds / 3600) * PRICE_PER_HOUR, 5);
    expect(estimated.linux_machines).toBe(dollars);
  });

  test("are upgraded one after the other under load without a lost machine", async () => {
    let isUpgraded = false;
    let sessions = 0;
    const client = async () => {
      while (!isUpgraded) {
        const session = await openSession();
        await runIn(session, "echo kept > ~/file");
        for (let n = 0; n < 5; n += 1) expect(await runIn(session, "sleep 0.2; cat ~/file")).toBe("kept\n");
        await kernel.browsers.deleteByID(session.id);
        sessions += 1;
      }
    };
    const upgrade = async () => {
      for (const host of [cheap, other]) {
        await host.signal("SIGTERM");
        expect(await host.exited()).toBe(0);
        await host.start("--prepared", "0");
      }
      isUpgraded = true;
    };
    await Promise.all([client(), client(), client(), upgrade()]);
    expect(sessions).toBeGreaterThanOrEqual(3);
  });

  test("take no new machine while they drain, keep those they have, and stop after the last", async () => {
    const old = await openSession();
    await runIn(old, "echo kept > ~/file");
    await cheap.signal("SIGTERM");
    await vi.waitFor(async () =>
      expect(await (await cheap.send("GET", "/health")).json()).toMatchObject({ status: "draining" }),
    );
    const next = await openSession();
    expect(await runIn(next, "whoami")).toBe("kernel\n");
    expect(await sessionsOn(other)).toEqual([next.id]);
    expect(await runIn(old, "cat ~/file")).toBe("kept\n");
    await kernel.browsers.deleteByID(old.id);
    expect(await cheap.exited()).toBe(0);
    // The other remains, with its machine.
    expect(await runIn(next, "echo still here")).toBe("still here\n");
    await kernel.browsers.deleteByID(next.id);
  });

  test("that are gone end their sessions' machines with a reason", async () => {
    const session = await openSession();
    await runIn(session, "echo lost > ~/file");
    await other.signal("SIGKILL");
    await other.exited();
    expect(await refusalOf(runIn(session, "true"))).toMatchObject({
      status: 503,
      message: expect.stringContaining("cannot be reached"),
    });
    expect(await refusalOf(runIn(await openSession(), "true"))).toMatchObject({
      status: 503,
      message: expect.stringMatching(/No session host starts a machine .*cheap: .*other: /),
    });
    await other.start("--prepared", "0");
    // No empty machine takes its place.
    expect(await refusalOf(runIn(session, "cat ~/file"))).toMatchObject({
      status: 410,
      message: expect.stringContaining("The session's machine has ended"),
    });
    expect(await runIn(await openSession(), "whoami")).toBe("kernel\n");
  });

  test("lose no machine when Berth restarts, and end it when its session is gone", async () => {
    const session = await openSession();
    await runIn(session, "whoami");
    await service.kill();
    expect(await sessionsOn(other)).toContain(session.id);
    await service.restart();
    // Its browser died with the service.
    await vi.waitFor(async () => expect(await sessionsOn(other)).not.toContain(session.id), TIMEOUT_MS);
  });
});
