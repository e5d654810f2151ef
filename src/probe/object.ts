import { DurableObject } from "cloudflare:workers";
import { closeBrowser } from "../browser/index.ts";
import { type CheckName, recordCapability } from "../capabilities/index.ts";
import { resolveWithin, settleAll } from "../common/concurrency.ts";
import { conflict, notFound } from "../common/errors.ts";
import { logError, logEvent } from "../common/log.ts";
import { type Outcome, settle } from "../common/outcome.ts";
import { readSettings } from "../common/settings.ts";
import type { CapabilityRow, ProbeCost } from "../database/schema/capabilities.ts";
import { truncate } from "../dynamic-workers/index.ts";
import { SERVICE_CHECKS } from "./all-checks.ts";
import { type Check, type Finding, findingOfError, findingOfRestart, untried } from "./check.ts";
import { NO_COST, ProbeContext, type ProbeOptions } from "./context.ts";

const RUN_KEY = "run";

const MAX_SEEN_LENGTH = 500;

/** After the limit of a check, when the alarm cleans up a run that its object has lost. */
const GRACE_MS = 60_000;

/** Browsers without a session are closed at this age if Berth owns all browsers. */
const SWEPT_AFTER_MS = 120_000;

interface Run {
  check: string;
  startedAt: number;
  hasResult: boolean;
  /** Ids of its open browsers. */
  browsers: string[];
}

/** Runs one check of the probe at a time, with the bindings of the service. */
export class PlatformProbe extends DurableObject<Env> {
  #isBusy = false;

  /**
   * @returns the result; undefined for a long check, which runs on and stores its result. A refusal is 404 for an
   * unknown check, 409 while another one runs.
   */
  start(name: CheckName, options: ProbeOptions): Promise<Outcome<CapabilityRow | undefined>> {
    return settle(async () => {
      const check = findCheck(name);
      if (check === undefined) throw notFound("check");
      if (this.#isBusy) throw conflict("Another check of the probe is running");
      this.#isBusy = true;
      const running = this.#run(check, options).finally(() => {
        this.#isBusy = false;
      });
      if (!check.isLong) return running;
      running.catch((error) => logError("probe_failed", error));
      return undefined;
    });
  }

  /** Cleans up after a run that an earlier object has lost, and stores its result. */
  async recover(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#recover();
    } finally {
      this.#isBusy = false;
    }
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + GRACE_MS);
    await this.recover();
  }

  async #run(check: Check, options: ProbeOptions): Promise<CapabilityRow> {
    await this.#recover();
    const run: Run = { check: check.name, startedAt: Date.now(), hasResult: false, browsers: [] };
    const parts = { env: this.env, facets: this.ctx.facets };
    const context = new ProbeContext(parts, options, (browsers) => this.#write({ ...run, browsers }));
    this.#write(run);
    await this.ctx.storage.setAlarm(run.startedAt + check.limitMs + GRACE_MS);
    const finding = await this.#try(check, context);
    const row = toRow(run, finding, context.cost);
    await recordCapability(this.env, row);
    logEvent("probe_finished", { check: row.name, outcome: row.outcome, duration_ms: row.durationMs });
    this.#write({ ...run, browsers: context.openBrowsers, hasResult: true });
    await this.#recover();
    return row;
  }

  async #try(check: Check, context: ProbeContext): Promise<Finding> {
    const isSwept = context.options.seconds * 1000 > SWEPT_AFTER_MS && readSettings(this.env).ownsAllBrowsers;
    if (check.isLong && isSwept) return untried("OWNS_ALL_BROWSERS closes browsers without a session");
    try {
      const finding = await resolveWithin(check.run(context), check.limitMs);
      return finding ?? untried(`no result within ${check.limitMs / 1000} s`);
    } catch (error) {
      return findingOfError(error);
    } finally {
      await context.close();
    }
  }

  async #recover(): Promise<void> {
    const run = this.ctx.storage.kv.get<Run>(RUN_KEY);
    if (run === undefined) return;
    const check = findCheck(run.check);
    if (check !== undefined && !run.hasResult) {
      const finding = findingOfRestart(check, Date.now() - run.startedAt);
      await recordCapability(this.env, toRow(run, finding, { ...NO_COST, browsers: run.browsers.length }));
    }
    await settleAll(run.browsers.map((id) => closeBrowser(this.env.BROWSER, id)));
    await this.ctx.storage.deleteAlarm();
    this.ctx.storage.kv.delete(RUN_KEY);
  }

  #write(run: Run): void {
    this.ctx.storage.kv.put(RUN_KEY, run);
  }
}

function findCheck(name: string): Check | undefined {
  return SERVICE_CHECKS.find((check) => check.name === name);
}

function toRow(run: Run, { outcome, seen, details = {} }: Finding, cost: ProbeCost): CapabilityRow {
  const now = Date.now();
  const text = truncate(seen, MAX_SEEN_LENGTH);
  return {
    name: run.check,
    outcome,
    seen: text,
    details,
    measuredAt: now,
    durationMs: now - run.startedAt,
    cost,
  };
}
