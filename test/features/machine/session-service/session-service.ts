import Kernel from "@onkernel/sdk";
import type { Machine } from "durable-machine";
import { Hono } from "hono";
import { fileRoutes } from "../../../../src/api/files/routes.ts";
import { processRoutes } from "../../../../src/api/processes/routes.ts";
import { MachineContainer } from "../../../../src/features/machine/machine-container.ts";
import { SessionMachine } from "../../../../src/features/machine/object.ts";
import { ALL_RIGHTS } from "../../../../src/features/organizations/api-keys/api-key.ts";
import type { CallerEnv } from "../../../../src/features/organizations/caller.ts";
import { ServiceError } from "../../../../src/lib/common/errors.ts";
import { toErrorResponse } from "../../../../src/lib/http/wire-error.ts";

const CALLER = {
  scope: "organization",
  organizationId: "organization",
  organizationDisabled: false,
  expiresAt: null,
  keyId: "key",
  projectId: "",
  rights: ALL_RIGHTS,
  ownProject: null,
  keyName: "ci",
  maxConcurrentSessions: null,
  hasOwnLimits: false,
  weight: 1,
  invocationId: null,
} as const;

export interface SessionServiceOptions {
  openMachine: () => Promise<Machine>;
  storage: object;
  settings: Record<string, string>;
}

/** The file and process routes of one session, served in this process over any machine. */
export class SessionService implements AsyncDisposable {
  readonly sessionId = "a".repeat(24);
  readonly kernel: Kernel;
  readonly #object: SessionMachine;

  constructor({ openMachine, storage, settings }: SessionServiceOptions) {
    const context = { storage, waitUntil: () => undefined };
    const env = {
      ...settings,
      SESSION_MACHINE: { getByName: () => this.#object },
      BROWSER_SESSION: {
        getByName: () => ({
          openMachine: async () => ({
            ok: true,
            value: { invocationId: null, machine: "simulated", region: null, lease: null },
          }),
          touchByMachine: async () => true,
        }),
      },
    };
    class TestMachine extends SessionMachine {
      protected override openMachine(): Promise<Machine> {
        return openMachine();
      }
    }
    // Not typed: `context` and `env` have only what the machine's object uses.
    this.#object = Reflect.construct(TestMachine, [context, env]);
    const app = new Hono<CallerEnv>();
    app.use(async (c, next) => {
      c.set("caller", CALLER);
      await next();
    });
    app.onError((error) =>
      toErrorResponse(
        error instanceof ServiceError
          ? error
          : new ServiceError("internal_error", String(error), { cause: error }),
      ),
    );
    app.route("/", fileRoutes);
    app.route("/", processRoutes);
    const execution = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
    this.kernel = new Kernel({
      apiKey: "key",
      baseURL: "http://service.invalid",
      maxRetries: 0,
      fetch: async (url, init) =>
        Reflect.apply(app.fetch, app, [
          new Request(url, Object.assign({ duplex: "half" }, init)),
          env,
          execution,
        ]),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#object.end();
  }
}

/** @param env what the object uses of it. */
export function newMachineContainer(context: object, env: object): MachineContainer {
  return Reflect.construct(MachineContainer, [context, env]);
}
