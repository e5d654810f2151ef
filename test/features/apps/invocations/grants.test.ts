import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { readDeploymentForm } from "../../../../src/features/apps/deployments/form.ts";
import { profileSchema } from "../../../../src/features/profiles/schema.ts";
import { sessionSchema } from "../../../../src/features/sessions/session-schema.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { deployments, type Grants, invocations } from "../../../../src/lib/database/schema/apps.ts";
import { withForm } from "../../../../src/lib/http/multipart.ts";
import { type Client, newClient } from "../../../api.ts";
import { useFakeBrowsers } from "../../../fakes/browser-binding.ts";
import { appSource, deploymentForm, zipOf } from "../deployments/deployments.ts";
import { useBlockedRuns, type WaitingRun } from "./waiting-runs.ts";

useFakeBrowsers();
const startRun = useBlockedRuns();

describe("sessions of a run", () => {
  let owner: Client;
  let run: WaitingRun;
  let profile: { id: string; name: string };
  beforeAll(async () => {
    owner = await newClient();
    run = await startRun(owner);
    const { id } = (await owner.post("/profiles", { name: "granted" })).read(profileSchema);
    profile = { id, name: "granted" };
  });

  async function grant(to: "invocation" | "deployment", grants: Grants | null): Promise<void> {
    const database = openDatabase(env.DB);
    if (to === "invocation") {
      await database.update(invocations).set({ grants }).where(eq(invocations.id, run.id));
      return;
    }
    const [row] = await database
      .select({ id: invocations.deploymentId })
      .from(invocations)
      .where(eq(invocations.id, run.id));
    await database
      .update(deployments)
      .set({ grants })
      .where(eq(deployments.id, row?.id ?? ""));
  }

  it("cannot use or switch to a profile without a grant", async () => {
    const refused = await run.client.post("/browsers", { profile: { name: profile.name } });
    expect(refused.status).toBe(403);
    expect(refused.error.message).toContain("`profiles`");
    const session = (await run.client.post("/browsers")).read(sessionSchema);
    const changed = await run.client.patch(`/browsers/${session.session_id}`, {
      profile: { id: profile.id },
    });
    expect(changed.status).toBe(403);
    expect((await run.client.post("/browsers", { profile: { name: "unknown" } })).status).toBe(400);
    expect((await owner.post("/browsers", { profile: { name: profile.name } })).status).toBe(200);
  });

  it.each([
    ["invocation", "id"],
    ["invocation", "name"],
    ["deployment", "id"],
    ["deployment", "name"],
  ] as const)("can use a profile that the %s grants by %s", async (to, by) => {
    await grant(to, { profiles: ["other", profile[by]], proxies: [] });
    expect((await run.client.post("/browsers", { profile: { name: profile.name } })).status).toBe(200);
    await grant(to, { profiles: [], proxies: [profile[by]] });
    expect((await run.client.post("/browsers", { profile: { name: profile.name } })).status).toBe(403);
    await grant(to, null);
  });
});

it("reads grants from the deployment form", async () => {
  const sources = zipOf({ "index.ts": appSource("a") });
  const read = (fields: Record<string, string>) =>
    withForm(
      new Request("https://berth.test", { method: "POST", body: deploymentForm(sources, fields) }),
      readDeploymentForm,
    );
  expect((await read({ profiles: "a, b,", proxies: "" })).grants).toEqual({
    profiles: ["a", "b"],
    proxies: [],
  });
  expect((await read({})).grants).toBeNull();
});
