import { logError } from "../../../lib/common/log.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import type { DynamicWorkerSource, RunResult } from "../../../platform/dynamic-workers/index.ts";
import { runAction } from "./action-run.ts";
import { actionSource } from "./action-source.ts";
import type { InvocationEnd } from "./end.ts";
import { overrunPauses, pauseReason } from "./overrun-pauses.ts";
import type { InvocationRecord } from "./record.ts";
import { describeFailure } from "./run-failure.ts";
import type { RunLog } from "./run-log.ts";
import { startQueue } from "./start-queue.ts";
import type { InvocationState } from "./state.ts";
import { markInvocationRunning } from "./store.ts";
import { canTransition } from "./transitions.ts";
import { readValue } from "./value-storage.ts";

/** How long it may take to store an output, or to describe a failure. */
const CONCLUSION_TIMEOUT_MS = 30_000;

export class InvocationRun {
  readonly #context: InvocationState;
  readonly #log: RunLog;
  readonly #end: InvocationEnd;
  #isMarkedRunning = false;

  constructor(context: InvocationState, { log, end }: { log: RunLog; end: InvocationEnd }) {
    this.#context = context;
    this.#log = log;
    this.#end = end;
  }

  start(): void {
    this.#context.waitUntil(this.#run());
  }

  /** Tells the index that the action is running. The alarm retries what fails. */
  async markRunning(): Promise<void> {
    const { record, database, identity } = this.#context;
    if (record?.row.status !== "running" || this.#isMarkedRunning) return;
    try {
      await markInvocationRunning(database, record.row.id);
      this.#isMarkedRunning = true;
    } catch (error) {
      logError("invocation_mark_running_failed", error, identity);
    }
  }

  async #run(): Promise<void> {
    const { env, object, record, identity } = this.#context;
    if (record === undefined) return;
    const { row, origin, timeoutMs } = record;
    this.#end.limitTime(timeoutMs, `The action did not end within its ${timeoutMs / 1000} seconds`);
    try {
      // Before its code is read, which takes time of others.
      if (this.#failWhilePaused(row)) return;
      const { id: invocationId, organizationId, projectId } = row;
      const gateway = object.exports.AppGateway({
        props: { origin, organizationId, projectId, invocationId },
      });
      const [source, payload] = await Promise.all([
        actionSource(env, record, gateway, this.#end.deadline),
        readValue(env, row, "payload"),
      ]);
      const result = await this.#runInTurn(record, source, payload);
      if (result !== undefined && !this.#context.isOver) await this.#conclude(record, result);
    } catch (error) {
      logError("invocation_run_failed", error, identity);
      this.#end.fail("The service failed while it ran the action");
    }
  }

  /** @returns undefined if the invocation finished before the action began. */
  async #runInTurn(
    { row }: InvocationRecord,
    source: DynamicWorkerSource,
    payload: string | null,
  ): Promise<RunResult | undefined> {
    const start = readSettings(this.#context.env).loopGuardMs > 0 ? await startQueue.enter() : undefined;
    try {
      if (this.#failWhilePaused(row) || !this.#begin()) return undefined;
      const { appName, actionName, id: invocationId } = row;
      const action = { appName, actionName, invocationId, payload };
      const result = await runAction(this.#context, source, action, {
        onStarted: () => start?.endSoon(),
        onLine: ({ text }) => (this.#context.isOver ? undefined : this.#log.add(text)),
      });
      if (!result.ok && result.overran) overrunPauses.add(row.deploymentId, Date.now());
      return result;
    } finally {
      start?.end();
    }
  }

  #failWhilePaused({ deploymentId }: InvocationRow): boolean {
    const pauseMs = overrunPauses.remainingMs(deploymentId, Date.now());
    if (pauseMs > 0) this.#end.fail(pauseReason(pauseMs));
    return pauseMs > 0;
  }

  #begin(): boolean {
    const { record, journal } = this.#context;
    if (record === undefined || !canTransition(record.row.status, "running")) return false;
    this.#context.write({ ...record, row: { ...record.row, status: "running" } });
    journal.record({ status: "running" });
    this.#context.waitUntil(this.markRunning());
    return true;
  }

  async #conclude({ row }: InvocationRecord, result: RunResult): Promise<void> {
    // The time this takes does not count against the action.
    this.#end.limitTime(CONCLUSION_TIMEOUT_MS, "The service could not store the result of the action");
    if (result.ok) {
      await this.#end.finish("succeeded", null, result.json);
      return;
    }
    const { reason, stack } = await describeFailure(this.#context.env, row, result.thrown);
    if (this.#context.isOver) return;
    if (stack !== undefined) await this.#log.add(stack);
    this.#end.fail(reason);
  }
}
