import { beforeAll, describe, expect, it } from "vitest";
import { isAllowedForRun } from "../../../src/apps/invocations/run-scope.ts";
import { newIdentifier } from "../../../src/common/identifiers.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { readSessionRow } from "../../records.ts";
import { bodyOfRoute, CALLER_ROUTES, fillRoute, OPERATOR_ROUTES } from "../../routes.ts";
import { useWaitingRuns, type WaitingRun } from "./waiting-runs.ts";

useFakeBrowsers();
const startRun = useWaitingRuns();

/** All that is open to a run beside what is below `/browsers/{id}`; of invocations only to its own. */
const OPEN = new Set([
  "GET /browsers",
  "POST /browsers",
  "GET /invocations/:id",
  "PATCH /invocations/:id",
  "GET /invocations/:id/events",
  "GET /invocations/:id/browsers",
  "DELETE /invocations/:id/browsers",
]);
const ofSessions = CALLER_ROUTES.filter((route) => / \/browsers\/:/.test(route));
const refused = CALLER_ROUTES.filter((route) => !OPEN.has(route) && !ofSessions.includes(route));
const ofInvocations = [...OPEN].filter((route) => route.includes(" /invocations/"));

describe("isAllowedForRun", () => {
  const table: [call: string, isOpen: boolean][] = [
    ["GET /browsers", true],
    ["POST /browsers", true],
    ["HEAD /browsers", false],
    ["DELETE /browsers", false],
    ["DELETE /browsers/any", true],
    ["POST /browsers/any/computer/batch", true],
    ["POST /browsers_of_others/any", false],
    ["GET /invocations", false],
    ["POST /invocations", false],
    ["GET /invocations/own", true],
    ["PATCH /invocations/own", true],
    ["DELETE /invocations/own", false],
    ["GET /invocations/own/", false],
    ["GET /invocations/other", false],
    ["GET /invocations/own2", false],
    ["GET /invocations/own/events", true],
    ["POST /invocations/own/events", false],
    ["GET /invocations/other/events", false],
    ["GET /invocations/own/browsers", true],
    ["DELETE /invocations/own/browsers", true],
    ["DELETE /invocations/other/browsers", false],
    ["GET /invocations/own/unknown", false],
    ["GET /browser_pools", false],
    ["GET /org/limits", false],
    ["GET /constructor", false],
    ["GET /", false],
  ];

  it.each(table)("%s: %s", (call, isOpen) => {
    const [method = "", path = ""] = call.split(" ");
    expect(isAllowedForRun(method, path, "own")).toBe(isOpen);
  });
});

describe("a run's own key", () => {
  let run: WaitingRun;
  let other: WaitingRun;
  let sessions: Record<"of the organization" | "of another run", { id: string; name: string }>;
  beforeAll(async () => {
    const owner = await newClient();
    [run, other] = await Promise.all([startRun(owner), startRun(owner)]);
    const [ofOrganization, ofOther] = await Promise.all([
      owner.createSession({ name: "of-the-organization" }),
      other.client.createSession({ name: "of-another-run" }),
    ]);
    sessions = {
      "of the organization": { id: ofOrganization.session_id, name: "of-the-organization" },
      "of another run": { id: ofOther.session_id, name: "of-another-run" },
    };
  });

  it.each([...refused, "GET /unknown", "DELETE /browsers?persistent_id=any"])(
    "is refused by %s",
    async (route) => {
      const answer = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
      expect(answer.status, answer.text).toBe(403);
      expect(answer.error).toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("only to the invocation and its browser sessions"),
      });
    },
  );

  it.each(OPERATOR_ROUTES)("is no operator's token for %s", async (route) => {
    const answer = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
    expect(answer.status).toBe(401);
  });

  it.each(ofInvocations)(
    "is refused by %s of another invocation, whether or not there is one",
    async (route) => {
      for (const id of [other.id, newIdentifier()]) {
        const answer = await run.client.call(...fillRoute(route, id), bodyOfRoute(route));
        expect(answer.status).toBe(403);
      }
      expect((await other.client.get(`/invocations/${other.id}`)).json).toMatchObject({ id: other.id });
    },
  );

  it.each(ofSessions)("finds no session but its own by %s", async (route) => {
    const unknown = await run.client.call(...fillRoute(route, newIdentifier()), bodyOfRoute(route));
    expect([404, 501]).toContain(unknown.status);
    for (const [whose, { id, name }] of Object.entries(sessions)) {
      for (const idOrName of [id, name]) {
        const answer = await run.client.call(...fillRoute(route, idOrName), bodyOfRoute(route));
        expect(answer.status, whose).toBe(unknown.status);
        expect(answer.text, whose).toBe(unknown.text);
      }
    }
  });

  it("has done nothing to other sessions by all these calls", async () => {
    for (const { id, name } of Object.values(sessions)) {
      expect(await readSessionRow(id)).toMatchObject({ state: "active", name, viewportWidth: 1920 });
    }
  });

  it("is served by the same calls for a session of its own", async () => {
    for (const route of ofSessions) {
      const { session_id } = await run.client.createSession();
      const answer = await run.client.call(...fillRoute(route, session_id), bodyOfRoute(route));
      expect([401, 403], route).not.toContain(answer.status);
      if (answer.status === 404) expect(answer.error.message, route).not.toContain("browser session");
    }
    expect((await run.client.delete(`/invocations/${run.id}/browsers`)).status).toBe(204);
  });

  it("gets and follows its invocation, and lists and ends its sessions", async () => {
    const own = `/invocations/${run.id}`;
    const { session_id } = await run.client.createSession();
    expect((await run.client.get(own)).json).toMatchObject({ id: run.id });
    expect((await run.client.get(`${own}/browsers`)).json).toMatchObject({ browsers: [{ session_id }] });
    expect((await run.client.delete(`${own}/browsers`)).status).toBe(204);
    expect((await run.client.listSessions()).ids).toEqual([]);
  });
});
