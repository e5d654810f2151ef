import { DurableObject } from "cloudflare:workers";
import { resolveWithin } from "../../lib/common/concurrency.ts";
import { conflict, notFound } from "../../lib/common/errors.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import { type Outcome, settle } from "../../lib/common/outcome.ts";
import type { CapabilityRow } from "../../lib/database/schema/capabilities.ts";
import { type CheckName, recordCapability } from "../../platform/capabilities/index.ts";
import { LONG_CHECKS, SERVICE_CHECKS } from "./all-checks.ts";
import { type Check, type Finding, findingOfError, judgeRestart, untried } from "./check.ts";
import { NO_COST, openBrowsers, ProbeContext, type ProbeOptions } from "./context.ts";

const RUN_KEY = "run";

const LIMIT_MS = 120_000;
/** When the alarm cleans up a run that its object has lost, after the run's limit. */
const GRACE_MS = 60_000;

const MAX_SEEN_LENGTH = 500;

/** A run without a result. */
interface Run {
  name: CheckName;
  startedAt: number;
}

/** Runs one check of the probe at a time, with the bindings of the service. */
export class PlatformProbe extends DurableObject<Env> {
  #isBusy = false;

  /**
   * @returns the result; undefined for a long check, which keeps running and stores its result. A refusal is
   * 404 for a check that the service cannot run, 409 while another one runs.
   */
  start(name: CheckName, options: ProbeOptions): Promise<Outcome<CapabilityRow | undefined>> {
    return settle(async () => {
      const check = SERVICE_CHECKS[name];
      if (check === undefined) throw notFound("check of the service");
      if (this.#isBusy) throw conflict("Another check of the probe is running");
      const running = this.#exclusively(() => this.#run(name, check, options));
      if (!LONG_CHECKS.has(name)) return running;
      running.catch((error) => logError("probe_failed", error));
      return undefined;
    });
  }

  /**
   * Cleans up after a run that an earlier object has lost.
   *
   * @param reason the error of the lost call.
   * @returns the result of the run; undefined if there was none.
   */
  async recover(reason = ""): Promise<CapabilityRow | undefined> {
    return this.#isBusy ? undefined : this.#exclusively(() => this.#recover(reason));
  }

  /** The ids of the browsers that checks use. */
  listBrowsers(): string[] {
    return Object.keys(openBrowsers(this.ctx.storage));
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + GRACE_MS);
    await this.recover();
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  async #run(name: CheckName, check: Check, options: ProbeOptions): Promise<CapabilityRow> {
    await this.#recover();
    const limitMs = LIMIT_MS + (LONG_CHECKS.has(name) ? options.seconds * 1000 : 0);
    const run = { name, startedAt: Date.now() };
    this.ctx.storage.kv.put(RUN_KEY, run);
    await this.ctx.storage.setAlarm(run.startedAt + 2 * limitMs + GRACE_MS);
    const cost = { ...NO_COST };
    const attempt = () => tryWithin(limitMs, check, new ProbeContext(this.env, this.ctx, options, cost));
    const first = await attempt();
    // A difference makes Berth refuse features, so it must be observed twice.
    const finding = first.outcome === "differs" ? await attempt() : first;
    const row = await this.#record(run, finding, cost);
    await this.#recover();
    return row;
  }

  async #recover(reason = ""): Promise<CapabilityRow | undefined> {
    const { storage } = this.ctx;
    const context = new ProbeContext(this.env, this.ctx, { seconds: 0 });
    await context.close();
    const run = storage.kv.get<Run>(RUN_KEY);
    const finding = run && judgeRestart(run.name, Date.now() - run.startedAt, reason);
    const row = finding && (await this.#record(run, finding, context.cost));
    if (this.listBrowsers().length === 0) await storage.deleteAlarm();
    return row;
  }

  async #record(
    { name, startedAt }: Run,
    { outcome, seen, details = {} }: Finding,
    cost: CapabilityRow["cost"],
  ): Promise<CapabilityRow> {
    const measuredAt = Date.now();
    const durationMs = measuredAt - startedAt;
    const shortened = seen.slice(0, MAX_SEEN_LENGTH);
    const row = { name, outcome, seen: shortened, details, measuredAt, durationMs, cost };
    await recordCapability(this.env, row);
    this.ctx.storage.kv.delete(RUN_KEY);
    logEvent("probe_finished", { check: name, outcome, duration_ms: durationMs });
    return row;
  }
}

async function tryWithin(limitMs: number, check: Check, context: ProbeContext): Promise<Finding> {
  try {
    const finding = await resolveWithin(check(context), limitMs);
    return finding ?? untried(`no result within ${limitMs / 1000} s`);
  } catch (error) {
    return findingOfError(error);
  } finally {
    await context.close();
  }
}
