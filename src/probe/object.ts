import { DurableObject } from "cloudflare:workers";
import { closeBrowser } from "../browser/index.ts";
import { type CheckName, recordCapability } from "../capabilities/index.ts";
import { resolveWithin, settleAll } from "../common/concurrency.ts";
import { conflict, notFound } from "../common/errors.ts";
import { logError, logEvent } from "../common/log.ts";
import { type Outcome, settle } from "../common/outcome.ts";
import { readSettings } from "../common/settings.ts";
import type { CapabilityRow } from "../database/schema/capabilities.ts";
import { LONG_CHECKS, RESTART_CHECKS, SERVICE_CHECKS } from "./all-checks.ts";
import { type Check, differs, type Finding, findingOfError, untried } from "./check.ts";
import { NO_COST, ProbeContext, type ProbeOptions } from "./context.ts";

const RUN_KEY = "run";

const LIMIT_MS = 120_000;
/** When the alarm cleans up a run that its object has lost, after the run's limit. */
const GRACE_MS = 60_000;

/** Browsers without a session are closed at this age if Berth owns all browsers. */
const SWEPT_AFTER_MS = 120_000;

const MAX_SEEN_LENGTH = 500;

interface Run {
  name: CheckName;
  startedAt: number;
  hasResult: boolean;
  /** Ids of its open browsers. */
  browsers: string[];
}

/** Runs one check of the probe at a time, with the bindings of the service. */
export class PlatformProbe extends DurableObject<Env> {
  #isBusy = false;

  /**
   * @returns the result; undefined for a long check, which runs on and stores its result. A refusal is 404 for a check
   * that the service cannot run, 409 while another one runs.
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

  /** Cleans up after a run that an earlier object has lost, and stores its result. */
  async recover(): Promise<void> {
    if (!this.#isBusy) await this.#exclusively(() => this.#recover());
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + GRACE_MS);
    await this.recover().catch((error) => logError("probe_not_cleaned_up", error));
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
    const run: Run = { name, startedAt: Date.now(), hasResult: false, browsers: [] };
    const limitMs = LIMIT_MS + (LONG_CHECKS.has(name) ? options.seconds * 1000 : 0);
    this.#write(run);
    await this.ctx.storage.setAlarm(run.startedAt + limitMs + GRACE_MS);
    const context = new ProbeContext({
      env: this.env,
      facets: this.ctx.facets,
      options,
      onBrowsers: (browsers) => this.#write({ ...run, browsers }),
    });
    const isSwept = options.seconds * 1000 > SWEPT_AFTER_MS && readSettings(this.env).ownsAllBrowsers;
    const finding =
      LONG_CHECKS.has(name) && isSwept
        ? untried("OWNS_ALL_BROWSERS closes browsers without a session")
        : await tryWithin(limitMs, check, context);
    const row = await this.#record(run, finding, context.cost);
    this.#write({ ...run, hasResult: true, browsers: context.openBrowsers });
    // The alarm tries again.
    await this.#recover().catch((error) => logError("probe_not_cleaned_up", error));
    return row;
  }

  async #recover(): Promise<void> {
    const run = this.ctx.storage.kv.get<Run>(RUN_KEY);
    if (run === undefined) return this.ctx.storage.deleteAlarm();
    if (!run.hasResult) {
      const seen = `the object was restarted within ${Math.ceil((Date.now() - run.startedAt) / 1000)} s`;
      const finding = RESTART_CHECKS.has(run.name) ? differs(seen) : untried(seen);
      await this.#record(run, finding, { ...NO_COST, browsers: run.browsers.length });
      this.#write({ ...run, hasResult: true });
    }
    await settleAll(run.browsers.map((id) => closeBrowser(this.env.BROWSER, id)));
    await this.ctx.storage.deleteAlarm();
    this.ctx.storage.kv.delete(RUN_KEY);
  }

  async #record(run: Run, finding: Finding, cost: CapabilityRow["cost"]): Promise<CapabilityRow> {
    const { outcome, details = {} } = finding;
    const seen = finding.seen.slice(0, MAX_SEEN_LENGTH);
    const measuredAt = Date.now();
    const durationMs = measuredAt - run.startedAt;
    const row = { name: run.name, outcome, seen, details, measuredAt, durationMs, cost };
    await recordCapability(this.env, row);
    logEvent("probe_finished", { check: run.name, outcome, duration_ms: durationMs });
    return row;
  }

  #write(run: Run): void {
    this.ctx.storage.kv.put(RUN_KEY, run);
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
