import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { sweepPools } from "../../../src/features/browser-pools/index.ts";
import { addUsage } from "../../../src/features/usage/add-usage.ts";
import { budgetChange, checkBudgets } from "../../../src/features/usage/budgets.ts";
import { organizationUsageSchema } from "../../../src/features/usage/schema.ts";
import { monthOf } from "../../../src/features/usage/time.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { operator, useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { deployApp } from "../apps/deployed-app.ts";
import { acquire, counts, createFullPool, endPoolsAfterAll } from "../browser-pools/pools.ts";
import { createWebhook, useFakeReceivers } from "../webhooks/webhooks.ts";

useFakeBrowsers();
const receivers = useFakeReceivers();
endPoolsAfterAll();

const database = openDatabase(env.DB);

const client = useNewClient();

/** Uses Dynamic Workers, of which 500 cost a dollar. */
async function spend(dollars: number): Promise<void> {
  const owner = { organizationId: client.organizationId, projectId: "", apiKeyId: null };
  await addUsage(database, owner, Date.now(), { dynamicWorkers: dollars * 500 });
}

async function setBudget(budget: object): Promise<void> {
  const response = await operator.patch(`/admin/organizations/${client.organizationId}`, budget);
  expect(response.status, response.text).toBe(200);
  expect(response.json).toMatchObject(budget);
}

/** Checks budgets several times concurrently, and waits for everything that starts. */
async function check(times = 1): Promise<void> {
  const work: Promise<unknown>[] = [];
  const background = { env, waitUntil: (promise: Promise<unknown>) => work.push(promise) };
  await Promise.all(Array.from({ length: times }, () => checkBudgets(background, Date.now())));
  await Promise.all(work);
}

async function readBudget() {
  return (await client.get("/org/usage")).read(organizationUsageSchema).budget;
}

describe("a soft budget", () => {
  it("is announced once a month, also by concurrent checks", async () => {
    const webhook = await createWebhook(client, { event_types: ["organization.budget_reached"] });
    await setBudget({ soft_budget_usd: 10 });
    await spend(9);
    await check();
    expect(receivers.messagesTo(webhook)).toEqual([]);
    await spend(1);
    await check(3);
    await check();
    const data = { budget: "soft", budget_usd: 10, estimated_usd: 10 };
    const month = new Date().toISOString().slice(0, 7);
    expect(receivers.messagesTo(webhook).map((message) => message.data)).toEqual([{ ...data, month }]);
    expect((await client.createSession()).session_id).toBeDefined();
  });
});

describe("a used up hard budget", () => {
  it("refuses sessions, leases and invocations, empties pools, and ends when it is raised", async () => {
    const webhook = await createWebhook(client, { event_types: ["organization.budget_reached"] });
    const { id: poolId } = await createFullPool(client, { size: 2 });
    await acquire(client, poolId);
    const { name: app_name } = await deployApp(client, { act: "return 1" });
    const session = await client.createSession({ timeout_seconds: 3600 });
    await setBudget({ hard_budget_usd: 5 });
    await spend(5);
    await check(2);
    await sweepPools(env);

    const invocation = { app_name, version: "latest", action_name: "act" };
    const refusals = await Promise.all([
      client.post("/browsers"),
      client.post("/browsers"),
      client.post(`/browser_pools/${poolId}/acquire`),
      client.post("/invocations", invocation),
    ]);
    for (const refusal of refusals) {
      expect(refusal.status).toBe(402);
      expect(refusal.error.code).toBe("budget_exceeded");
      expect(refusal.headers.get("x-should-retry")).toBe("false");
    }
    await expect.poll(() => counts(client, poolId)).toEqual([0, 1]);
    expect((await client.get(`/browsers/${session.session_id}`)).status).toBe(200);
    const { end } = monthOf(Date.now());
    const exceeded_until = new Date(end).toISOString();
    expect(await readBudget()).toEqual({ soft_usd: null, hard_usd: 5, exceeded_until });
    expect(receivers.messagesTo(webhook).map(({ data }) => data.budget)).toEqual(["hard"]);

    await setBudget({ hard_budget_usd: 6 });
    await check();
    expect((await client.post("/browsers")).status).toBe(200);
    await acquire(client, poolId, { acquire_timeout_seconds: 30 });
    expect((await client.post("/invocations", invocation)).status).toBe(200);
  });

  it("is over when the month is", async () => {
    await setBudget({ hard_budget_usd: 1 });
    await spend(1);
    await check();
    expect((await client.post("/browsers")).status).toBe(402);
    vi.useFakeTimers({ toFake: ["Date"], now: monthOf(Date.now()).end });
    expect((await client.post("/browsers")).status).toBe(200);
    expect((await readBudget()).exceeded_until).toBeNull();
  });

  it("is not used up by a check that read the budget before it was raised", async () => {
    await setBudget({ hard_budget_usd: 1 });
    await spend(1);
    const raiseFirst = new Proxy(env.DB, {
      get: (target, name) =>
        name === "batch"
          ? async (statements: D1PreparedStatement[]) => {
              await setBudget({ hard_budget_usd: 2 });
              return target.batch(statements);
            }
          : Reflect.get(target, name).bind(target),
    });
    await checkBudgets({ env: { ...env, DB: raiseFirst }, waitUntil: () => undefined }, Date.now());
    expect(await readBudget()).toMatchObject({ hard_usd: 2, exceeded_until: null });
  });

  it("is released when prices fall or the budget is removed", async () => {
    await setBudget({ hard_budget_usd: 1 });
    await spend(1);
    await check();
    const { PRICES } = env;
    env.PRICES = "dynamic_worker=0.001";
    await check();
    env.PRICES = PRICES;
    expect((await readBudget()).exceeded_until).toBeNull();
    await check();
    await setBudget({ hard_budget_usd: null });
    expect((await readBudget()).exceeded_until).toBeNull();
  });
});

it.each([
  [{ soft_budget_usd: -1 }, "soft_budget_usd"],
  [{ hard_budget_usd: "5" }, "hard_budget_usd"],
])("the operator cannot set %j", async (budget, field) => {
  const path = `/admin/organizations/${client.organizationId}`;
  expect((await operator.patch(path, budget)).invalidFields).toEqual([field]);
});

const NOW = Date.parse("2030-05-15T00:00:00Z");
const { start, end } = monthOf(NOW);
const none = { softBudgetUSD: null, hardBudgetUSD: null, budgetWarnedAt: null, overBudgetUntil: null };

const warned = { budgetWarnedAt: NOW };
const usedUp = { overBudgetUntil: end };
const released = { overBudgetUntil: null };

it.each([
  ["no budget", {}, 9, {}],
  ["below the soft budget", { softBudgetUSD: 10 }, 9, {}],
  ["at the soft budget", { softBudgetUSD: 10 }, 10, warned],
  ["warned this month", { softBudgetUSD: 10, budgetWarnedAt: start }, 10, {}],
  ["warned last month", { softBudgetUSD: 10, budgetWarnedAt: start - 1 }, 10, warned],
  ["below the hard budget", { hardBudgetUSD: 10 }, 9, {}],
  ["at the hard budget", { hardBudgetUSD: 10 }, 10, usedUp],
  ["at both", { softBudgetUSD: 5, hardBudgetUSD: 10 }, 10, { ...warned, ...usedUp }],
  ["a budget of nothing", { hardBudgetUSD: 0 }, 0, usedUp],
  ["known to be over it", { hardBudgetUSD: 10, overBudgetUntil: end }, 10, {}],
  ["over it last month", { hardBudgetUSD: 10, overBudgetUntil: start }, 10, usedUp],
  ["over it no longer", { hardBudgetUSD: 10, overBudgetUntil: end }, 9, released],
  ["over a budget that was removed", { overBudgetUntil: end }, 9, released],
])("%s: the state of budgets changes or not", (_, state, usd, change) => {
  expect(budgetChange({ ...none, ...state }, usd, NOW)).toEqual(change);
});
