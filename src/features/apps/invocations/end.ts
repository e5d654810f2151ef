import { logError, logEvent } from "../../../lib/common/log.ts";
import { endSessionsOfInvocation } from "../../sessions/index.ts";
import { endRun } from "./action-run.ts";
import { emitInvocationFinished } from "./finished-event.ts";
import type { RunLog } from "./run-log.ts";
import type { InvocationState } from "./state.ts";
import { finishInvocation, type InvocationResult } from "./store.ts";
import { canTransition } from "./transitions.ts";
import { storeValue } from "./value-storage.ts";

const SETTLE_RETRY_DELAY_MS = 10_000;

/** The end of an invocation: it happens once, and then the index is updated and the browsers are ended. */
export class InvocationEnd {
  readonly #context: InvocationState;
  readonly #log: RunLog;
  #deadline = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #timeoutReason = "";
  /** Outputs are stored one at a time, because all have the same key. */
  #lastFinish: Promise<unknown> = Promise.resolve();
  #settling: Promise<void> | undefined;

  constructor(context: InvocationState, log: RunLog) {
    this.#context = context;
    this.#log = log;
  }

  /** When its time is up, in milliseconds since the epoch; infinite before it runs. */
  get deadline(): number {
    return this.#deadline;
  }

  /** Replaces the time limit. When it is reached, the invocation fails for `reason`. */
  limitTime(milliseconds: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#timeoutReason = reason;
    this.#deadline = Date.now() + milliseconds;
    this.#timer = setTimeout(() => this.failTimedOut(), milliseconds);
  }

  failTimedOut(): void {
    this.fail(this.#timeoutReason);
  }

  /** @returns false if it had finished before. */
  fail(statusReason: string): boolean {
    return this.#end({ status: "failed", statusReason, output: null, outputInFiles: false });
  }

  /** @returns false if it had finished before. */
  async finish(
    status: InvocationResult["status"],
    statusReason: string | null,
    json?: string,
  ): Promise<boolean> {
    if (json === undefined) return this.#end({ status, statusReason, output: null, outputInFiles: false });
    const finish = this.#lastFinish.then(async () => {
      const { env, record, isOver } = this.#context;
      if (record === undefined || isOver) return false;
      const { id: invocationId, organizationId } = record.row;
      const stored = await storeValue(env, { organizationId, invocationId, kind: "output" }, json);
      return this.#end({ status, statusReason, output: stored.inRow, outputInFiles: stored.inFiles });
    });
    this.#lastFinish = finish.catch(() => undefined);
    return finish;
  }

  async settled(): Promise<void> {
    await this.#settling?.catch(() => undefined);
  }

  /** Settles, and leaves a failure to the alarm. */
  async settleOrRetryLater(): Promise<void> {
    await this.settle().catch((error) => logError("invocation_settle_failed", error, this.#context.identity));
  }

  /** Updates the index and ends the invocation's browsers. Can be repeated. @throws what has failed. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
      this.#context.finished.resolve();
    });
    return this.#settling;
  }

  #end(result: Omit<InvocationResult, "finishedAt">): boolean {
    const context = this.#context;
    const { record, journal } = context;
    if (record === undefined || !canTransition(record.row.status, result.status)) return false;
    endRun(context.object.facets);
    clearTimeout(this.#timer);
    this.#log.flush();
    const finishedAt = Date.now();
    context.write({ ...record, envVars: null, row: { ...record.row, ...result, finishedAt } });
    journal.record({ status: result.status }, finishedAt);
    journal.end();
    logEvent("invocation_finished", { ...context.identity, status: result.status });
    context.waitUntil(this.settleOrRetryLater());
    return true;
  }

  async #settle(): Promise<void> {
    const { env, record, database, deadlines, finished } = this.#context;
    const { row } = record ?? {};
    if (row === undefined || (row.status !== "succeeded" && row.status !== "failed")) return;
    await deadlines.replace({ settle: Date.now() + SETTLE_RETRY_DELAY_MS });
    const { id, status, statusReason, output, outputInFiles, finishedAt } = row;
    const result = { status, statusReason, output, outputInFiles, finishedAt: finishedAt ?? Date.now() };
    if (await finishInvocation(database, id, result)) emitInvocationFinished(this.#context, row, result);
    finished.resolve();
    await endSessionsOfInvocation(env, id);
    // Nothing is written to a storage that has been emptied since.
    if (this.#context.record !== undefined) await deadlines.replace({});
  }
}
