import { env } from "cloudflare:workers";
import { afterAll } from "vitest";
import { createRunKey } from "../../../../src/features/apps/invocations/run-key.ts";
import { invocationSchema } from "../../../../src/features/apps/invocations/schema.ts";
import { invocationObject } from "../../../../src/features/apps/invocations/stub.ts";
import { endSessionsOfInvocation } from "../../../../src/features/sessions/lifecycle/invocation-sessions.ts";
import { Client } from "../../../api.ts";
import { deployApp } from "../deployed-app.ts";
import { invokeAsync } from "./actions.ts";

const HOUR_MS = 3_600_000;

/** An invocation whose action waits to be ended. */
export interface WaitingRun {
  id: string;
  client: Client;
  finish: () => Promise<void>;
}

/** Starts invocations, and ends those still running after the tests of the file. */
export function useBlockedRuns(): (owner: Client) => Promise<WaitingRun> {
  const ids: string[] = [];
  afterAll(async () => {
    await Promise.all(
      ids.map(async (id) => {
        await invocationObject(env, id).fail("ended by a test");
        await endSessionsOfInvocation(env, id);
      }),
    );
  });
  return async (owner) => {
    const action = `await new Promise((resolve) => setTimeout(resolve, ${HOUR_MS}));`;
    const id = await invokeAsync(owner, await deployApp(owner, { wait: action }), "wait");
    ids.push(id);
    const { organizationId } = owner;
    const key = await createRunKey(env, {
      projectId: "",
      organizationId,
      invocationId: id,
      expiresAt: Date.now() + HOUR_MS,
    });
    return {
      id,
      client: new Client(key, organizationId),
      finish: async () => {
        (await owner.patch(`/invocations/${id}`, { status: "failed" })).read(invocationSchema);
      },
    };
  };
}
