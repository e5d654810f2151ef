import { RemoteMachine } from "session-host/client";
import { newMachineContainer } from "session-service";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOST_LIMITS, hasSandboxes } from "../../../../packages/session-host/test/host.ts";
import { HostProgram } from "../../../../packages/session-host/test/host-program.ts";
import { ObjectStorage } from "./engines.ts";

/**
 * As https://developers.cloudflare.com/containers/api/durable-object-container/ describes it. It runs the
 * program of the image.
 */
class FakeContainer {
  running = false;
  program: HostProgram | undefined;
  #end = Promise.withResolvers<void>();

  start({ env }: { env: Record<string, string> }): void {
    if (this.running) throw new Error("start() cannot be called on a container that is already running.");
    this.running = true;
    this.#end = Promise.withResolvers();
    this.program = new HostProgram(env.SESSION_HOST_TOKEN);
    void this.program.start("--max-machines", "1", "--prepared", "0");
  }

  monitor(): Promise<void> {
    return this.#end.promise;
  }

  async setInactivityTimeout(): Promise<void> {}

  async destroy(): Promise<void> {
    this.running = false;
    await this.program?.end();
    this.#end.resolve();
  }

  getTcpPort() {
    return {
      fetch: (input: Request | string) => {
        if (!this.program?.port) return Promise.reject(new Error("the container is not listening"));
        const { pathname, search } = new URL(typeof input === "string" ? input : input.url);
        const url = new URL(pathname + search, this.program.url);
        return fetch(typeof input === "string" ? url : new Request(url, input));
      },
    };
  }
}

describe.runIf(hasSandboxes)("a machine in a container", () => {
  let container: FakeContainer;
  let object: ReturnType<typeof newMachineContainer>;
  let lives: boolean;

  beforeEach(() => {
    container = new FakeContainer();
    lives = true;
    const session = { hasMachine: async () => lives };
    object = newMachineContainer(
      { storage: new ObjectStorage(), container, waitUntil: () => undefined },
      { BROWSER_SESSION: { getByName: () => session } },
    );
  });
  afterEach(() => container.destroy());

  const newMachine = () =>
    new RemoteMachine({
      host: {
        url: "http://container",
        token: "",
        fetch: (url, init) => object.fetch(new Request(url, init)),
      },
      id: "machine",
      limits: { ...HOST_LIMITS, outputBytes: 1_000_000 },
      network: { access: "none", allowPrivateAddresses: false },
      labels: { session: "session", lease: "" },
    });

  test("starts with the machine, serves it, and stops with it", async () => {
    const machine = newMachine();
    await machine.open();
    await machine.files.write("/tmp/file", new Blob(["text"]).stream());
    await newMachine().resume();
    expect((await machine.files.status("/tmp/file")).size).toBe(4);
    await machine.close();
    expect(container.running).toBe(false);
    await expect(newMachine().resume()).rejects.toMatchObject({ status: 410, code: "machine_ended" });
  });

  test("that has stopped by itself ends the machine", async () => {
    const machine = newMachine();
    await machine.open();
    await container.destroy();
    await expect(machine.files.status("/tmp")).rejects.toMatchObject({ status: 410, code: "machine_ended" });
  });

  test("stops when its session has ended without ending it", async () => {
    await newMachine().open();
    await object.alarm();
    expect(container.running).toBe(true);
    lives = false;
    await object.alarm();
    expect(container.running).toBe(false);
  });

  test("that wrangler.toml does not have is refused with the reason", async () => {
    object = newMachineContainer({ storage: new ObjectStorage() }, {});
    await expect(newMachine().open()).rejects.toMatchObject({ status: 501, code: "no_container" });
  });
});
