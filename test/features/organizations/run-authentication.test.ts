import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client, newClient, ORIGIN, operator, upgrade } from "../../api.ts";
import { advanceTime } from "../../objects.ts";
import { useBlockedRuns, type WaitingRun } from "../apps/invocations/waiting-runs.ts";

const startRun = useBlockedRuns();

describe("requests of a run", () => {
  let owner: Client;
  let run: WaitingRun;
  beforeEach(async () => {
    owner = await newClient();
    run = await startRun(owner);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are rejected once the organization is disabled", async () => {
    expect((await run.client.get("/browsers")).status).toBe(200);
    await operator.patch(`/admin/organizations/${owner.organizationId}`, { disabled: true });
    const refused = await run.client.get("/browsers");
    expect(refused.status).toBe(403);
    expect(refused.error.message).toContain("disabled");
  });

  it("are rejected once the organization is deleted", async () => {
    expect((await run.client.get("/browsers")).status).toBe(200);
    await operator.delete(`/admin/organizations/${owner.organizationId}`);
    expect((await run.client.get("/browsers")).status).toBe(401);
  });

  it.each([
    ["disabled", "UPDATE organizations SET disabled_at = 1 WHERE id = ?", 403],
    ["deleted", "DELETE FROM organizations WHERE id = ?", 401],
  ])("are rejected within 30 seconds when the organization is %s elsewhere", async (_, statement, status) => {
    expect((await run.client.get("/browsers")).status).toBe(200);
    await env.DB.prepare(statement).bind(owner.organizationId).run();
    advanceTime(30_001);
    expect((await run.client.get("/browsers")).status).toBe(status);
  });

  it("may use connect URLs, but no pools", async () => {
    const query = `?token=${run.client.token}`;
    expect((await new Client().get(`/connect/json/version${query}`)).status).toBe(200);
    expect((await upgrade(`${ORIGIN}/connect${query}&pool=any`)).status).toBe(403);
  });

  it("are authenticated without a database query each", async () => {
    const prepare = vi.spyOn(env.DB, "prepare");
    const statementsOfCall = async () => {
      prepare.mockClear();
      await run.client.get("/browsers/any/computer/any");
      return prepare.mock.calls.map(([statement]) => statement);
    };
    advanceTime(30_001);
    // Work that other files have left runs statements of its own meanwhile.
    const ofRun = (statement: string) => /^select\b.*(invocations|organizations|api_keys)/is.test(statement);
    const authenticating = new Set((await statementsOfCall()).filter(ofRun));
    expect(authenticating.size).toBeGreaterThan(0);
    const repeated = (await statementsOfCall()).filter((statement) => authenticating.has(statement));
    expect(repeated).toEqual([]);
  });
});
