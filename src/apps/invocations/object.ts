import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../../alarms/deadlines.ts";
import { withinTime } from "../../common/concurrency.ts";
import { conflict } from "../../common/errors.ts";
import { logError, logEvent } from "../../common/log.ts";
import { type Outcome, settle } from "../../common/outcome.ts";
import { readSettings } from "../../common/settings.ts";
import { openDatabase } from "../../database/client.ts";
import type { InvocationRow } from "../../database/schema/apps.ts";
import { type DynamicWorkerSource, type RunResult, requireLoader } from "../../dynamic-workers/index.ts";
import { streamEvents } from "../../http/event-stream.ts";
import { endSessionsOfInvocation } from "../../sessions/index.ts";
import { EventJournal, type LoggedLine } from "../event-journal.ts";
import { endRun, runAction } from "./action-run.ts";
import { actionSource, RUN_LIMITS } from "./action-source.ts";
import { EMPTY_JOURNAL, eventText, followInvocation, type StateChange } from "./events.ts";
import { overrunPauses, pauseReason } from "./overrun-pauses.ts";
import { type InvocationRecord, type InvocationStart, InvocationStorage } from "./record.ts";
import { describeFailure } from "./run-failure.ts";
import { RunLog } from "./run-log.ts";
import type { UpdateInvocationBody } from "./schema.ts";
import { startQueue } from "./start-queue.ts";
import {
  findInvocation,
  finishInvocation,
  type InvocationEnd,
  type InvocationReference,
  markInvocationRunning,
} from "./store.ts";
import { canTransition, isFinished, planRecovery } from "./transitions.ts";
import { readValue, storeValue } from "./values.ts";

/** An object that nobody calls is put away by the platform; while an invocation is under way its alarm calls it. */
const KEEP_ALIVE_INTERVAL_MS = 8000;

/** When the alarm takes up an end that did not come through. */
const SETTLE_RETRY_DELAY_MS = 10_000;

/** How long an invocation whose row is there may be on its way to its object. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** How long it may take to keep what an action that has ended gave, or to say why it failed. */
const CONCLUSION_TIMEOUT_MS = 30_000;

/** How an invocation ends, apart from when. */
type Ending = Omit<InvocationEnd, "finishedAt">;

/**
 * One invocation, named by its id: runs its action, and is the only one to change its state. What changes is written
 * here first, then to the index.
 */
export class Invocation extends DurableObject<Env> {
  readonly #storage: InvocationStorage;
  readonly #journal: EventJournal<StateChange>;
  readonly #deadlines: Deadlines<"watch" | "settle">;
  readonly #log: RunLog;
  #record: InvocationRecord | undefined;
  /** When its time is up, once it is being run. */
  #deadline = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Why it fails when its time is up. */
  #timeoutReason = "";
  /** Whether the index knows that it runs. */
  #isMarkedRunning = false;
  /** Ends that bring an output, one after the other: each would be stored in the same place. */
  #lastFinish: Promise<unknown> = Promise.resolve();
  #settling: Promise<void> | undefined;
  /** Resolves when this object has an invocation to look after. */
  readonly #accepted = Promise.withResolvers<void>();
  /** Resolves when it is finished and the index knows, or does not answer. */
  readonly #finished = Promise.withResolvers<void>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new InvocationStorage(ctx.storage);
    this.#journal = new EventJournal(ctx.storage);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#log = new RunLog({
      write: (lines) => this.#journal.log(lines),
      forward: (lines) => this.#forwardLines(lines),
    });
    this.#record = this.#storage.read();
    if (this.#record !== undefined) this.#planRecovery(this.#record);
  }

  /**
   * Accepts the invocation, and begins it. Doing it again changes nothing.
   *
   * @returns the invocation as it is now, or, where somebody waits for that, once it has finished.
   */
  async start(start: InvocationStart): Promise<InvocationRow> {
    if (this.#record === undefined) {
      this.#write(start);
      this.#journal.record({ status: "queued" }, start.row.startedAt);
      await this.#deadlines.set({ watch: Date.now() + KEEP_ALIVE_INTERVAL_MS });
      this.ctx.waitUntil(this.#run());
    }
    const { row } = this.#record ?? start;
    if (!start.isAwaited || isFinished(row.status)) return row;
    await this.#finished.promise;
    return (this.#record ?? start).row;
  }

  /**
   * Finishes the invocation as a caller says, whatever its action is doing; that is ended, with its browsers.
   * Refused with 409 once it has finished.
   */
  change(row: InvocationRow, { status, output }: UpdateInvocationBody): Promise<Outcome<InvocationRow>> {
    return settle(async () => {
      await this.#untilAccepted(row);
      const statusReason = status === "failed" ? "Cancelled by a call" : null;
      const hasFinished = await this.#finish(status, statusReason, output);
      await this.#settling?.catch(() => undefined);
      if (!hasFinished || this.#record === undefined) throw conflict("The invocation has already finished");
      return this.#record.row;
    });
  }

  /** Fails the invocation unless it has finished. */
  async fail(reason: string): Promise<void> {
    if (this.#end(failure(reason))) await this.#finished.promise;
  }

  /** Whether the action's own calls on behalf of this organization are to be served. */
  authorizeRun(organizationId: string): boolean {
    const { row } = this.#record ?? {};
    return row !== undefined && row.organizationId === organizationId && !isFinished(row.status);
  }

  /**
   * What has happened and what does, as server-sent events.
   *
   * @param row the invocation as the index has it: of one that finished long ago nothing else is left.
   * @param since milliseconds since the epoch.
   */
  async events(row: InvocationRow, since: number | undefined): Promise<ReadableStream<Uint8Array>> {
    await this.#untilAccepted(row);
    const entries = this.#record === undefined ? EMPTY_JOURNAL : this.#journal.read(since);
    const readRow = () => this.#record?.row ?? row;
    const whenIndexed = async () => {
      if (this.#isOver) await this.#finished.promise;
    };
    return streamEvents(
      followInvocation({ env: this.env, entries, readRow, whenIndexed }),
      (event) => eventText(this.env, event),
      () => undefined,
    );
  }

  /**
   * Brings an invocation that the index has as unfinished back on its way; one that never got here has failed.
   *
   * @returns what it is now; undefined: the index has none.
   */
  async reconcile({ organizationId, id }: InvocationReference): Promise<InvocationRow | undefined> {
    if (this.#record === undefined) {
      const row = await findInvocation(openDatabase(this.env.DB), organizationId, id);
      if (row === undefined || isFinished(row.status)) return row;
      // It may have got here meanwhile.
      if (this.#record === undefined) this.#adopt(row);
    }
    const { row } = this.#record ?? {};
    if (row !== undefined && isFinished(row.status)) await this.#trySettle();
    return row;
  }

  /**
   * Waits for an invocation whose row is there before it is: that can be seen while its start is still on its way. One
   * that is lost by then is taken over.
   */
  async #untilAccepted(row: InvocationRow): Promise<void> {
    if (this.#record !== undefined || isFinished(row.status)) return;
    await withinTime(this.#accepted.promise, Math.max(0, row.startedAt + ACCEPT_TIMEOUT_MS - Date.now()));
    if (this.#record === undefined) await this.reconcile(row);
  }

  /** Forgets all of a finished invocation, whose row stays in the index. */
  async deleteLogs(): Promise<void> {
    if (this.#record === undefined || !isFinished(this.#record.row.status)) return;
    this.#record = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.#deadlines.run(
      (kind) => (kind === "watch" ? this.#watch() : this.#settle()),
      (kind, error) => logError("invocation_deadline_failed", error, { ...this.#identity, deadline: kind }),
    );
  }

  /** Goes on with an invocation that the object was begun anew with. */
  #planRecovery({ row, isAwaited }: InvocationRecord): void {
    const next = planRecovery(row.status, isAwaited);
    if (next.do === "begin") this.ctx.waitUntil(this.#run());
    else if (next.do === "fail") this.#end(failure(next.reason));
    else {
      this.#journal.end();
      this.#finished.resolve();
    }
  }

  /** Takes over a row of the index whose invocation was lost on its way here. */
  #adopt(row: InvocationRow): void {
    this.#write({ row, envVars: null, origin: "", isAwaited: true, timeoutMs: 0 });
    this.#journal.record({ status: row.status }, row.startedAt);
    this.#end(failure("The service failed before the action began"));
  }

  async #run(): Promise<void> {
    const record = this.#record;
    if (record === undefined) return;
    const { row, origin, timeoutMs } = record;
    this.#limitTime(timeoutMs, `The action did not end within its ${timeoutMs / 1000} seconds`);
    try {
      const { id: invocationId } = row;
      const gateway = this.ctx.exports.AppGateway({
        props: { origin, organizationId: row.organizationId, invocationId },
      });
      const [source, payload] = await Promise.all([
        actionSource(this.env, record, gateway, this.#deadline),
        readValue(this.env, row, "payload"),
      ]);
      const result = await this.#runInTurn(record, source, payload);
      if (result === undefined) return;
      // It has ended in time, whatever keeping its output takes.
      if (!this.#isOver)
        this.#limitTime(CONCLUSION_TIMEOUT_MS, "The service could not keep how the action ended");
      await this.#conclude(result);
    } catch (error) {
      logError("invocation_run_failed", error, this.#identity);
      this.#end(failure("The service failed while it ran the action"));
    }
  }

  /** @returns undefined where it has finished without being run. */
  async #runInTurn(
    { row }: InvocationRecord,
    source: DynamicWorkerSource,
    payload: string | null,
  ): Promise<RunResult | undefined> {
    const start = readSettings(this.env).loopGuardMs > 0 ? await startQueue.enter() : undefined;
    try {
      const pauseMs = overrunPauses.remainingMs(row.deploymentId, Date.now());
      if (pauseMs > 0) this.#end(failure(pauseReason(pauseMs)));
      if (!this.#begin()) return undefined;
      const result = await runAction({
        facets: this.ctx.facets,
        loader: requireLoader(this.env),
        source,
        request: {
          appName: row.appName,
          actionName: row.actionName,
          invocationId: row.id,
          payload,
          limits: RUN_LIMITS,
        },
        onStarted: () => start?.endSoon(),
        onLine: ({ text }) => (this.#isOver ? undefined : this.#log.add(text)),
      });
      if (!result.ok && result.overran) overrunPauses.add(row.deploymentId, Date.now());
      return result;
    } finally {
      start?.end();
    }
  }

  #limitTime(milliseconds: number, timeoutReason: string): void {
    clearTimeout(this.#timer);
    this.#timeoutReason = timeoutReason;
    this.#deadline = Date.now() + milliseconds;
    this.#timer = setTimeout(() => this.#endTimedOut(), milliseconds);
  }

  #endTimedOut(): void {
    this.#end(failure(this.#timeoutReason));
  }

  /** @returns false where it was finished before it began. */
  #begin(): boolean {
    const record = this.#record;
    if (record === undefined || !canTransition(record.row.status, "running")) return false;
    this.#write({ ...record, row: { ...record.row, status: "running" } });
    this.#journal.record({ status: "running" });
    this.ctx.waitUntil(this.#markRunning());
    return true;
  }

  async #conclude(result: RunResult): Promise<void> {
    if (this.#isOver) return;
    if (result.ok) {
      await this.#finish("succeeded", null, result.json);
      return;
    }
    const { row } = this.#record ?? {};
    if (row === undefined) return;
    const { reason, stack } = await describeFailure(this.env, row, result.thrown);
    if (this.#isOver) return;
    if (stack !== undefined) await this.#log.add(stack);
    this.#end(failure(reason));
  }

  /** @returns false where it has finished before. */
  async #finish(status: Ending["status"], statusReason: string | null, json?: string): Promise<boolean> {
    if (json === undefined) return this.#end({ status, statusReason, output: null, outputInFiles: false });
    const finish = this.#lastFinish.then(async () => {
      const { row } = this.#record ?? {};
      if (row === undefined || this.#isOver) return false;
      const name = { organizationId: row.organizationId, invocationId: row.id, kind: "output" as const };
      const { inRow: output, inFiles: outputInFiles } = await storeValue(this.env, name, json);
      return this.#end({ status, statusReason, output, outputInFiles });
    });
    this.#lastFinish = finish.catch(() => undefined);
    return finish;
  }

  /** The end, which comes once. @returns false where it has come before. */
  #end(ending: Ending): boolean {
    const record = this.#record;
    if (record === undefined || !canTransition(record.row.status, ending.status)) return false;
    endRun(this.ctx.facets);
    clearTimeout(this.#timer);
    this.#log.flush();
    const finishedAt = Date.now();
    this.#write({ ...record, envVars: null, row: { ...record.row, ...ending, finishedAt } });
    this.#journal.record({ status: ending.status }, finishedAt);
    this.#journal.end();
    logEvent("invocation_finished", { ...this.#identity, status: ending.status });
    this.ctx.waitUntil(this.#trySettle());
    return true;
  }

  /** What fails is tried again by the alarm. */
  async #trySettle(): Promise<void> {
    await this.#settle().catch((error) => logError("invocation_settle_failed", error, this.#identity));
  }

  /**
   * Tells the index of the end, and ends the invocation's browsers. May be done again and again.
   *
   * @throws what has failed.
   */
  #settle(): Promise<void> {
    this.#settling ??= this.#settleOnce().finally(() => {
      this.#settling = undefined;
      this.#finished.resolve();
    });
    return this.#settling;
  }

  async #settleOnce(): Promise<void> {
    const { row } = this.#record ?? {};
    if (row === undefined || (row.status !== "succeeded" && row.status !== "failed")) return;
    await this.#deadlines.replace({ settle: Date.now() + SETTLE_RETRY_DELAY_MS });
    const { id, status, statusReason, output, outputInFiles, finishedAt } = row;
    const end = { status, statusReason, output, outputInFiles, finishedAt: finishedAt ?? Date.now() };
    await finishInvocation(openDatabase(this.env.DB), id, end);
    this.#finished.resolve();
    await endSessionsOfInvocation(this.env, id);
    // Nothing is written to a storage that was emptied meanwhile.
    if (this.#record !== undefined) await this.#deadlines.replace({});
  }

  /** Keeps the object awake while the invocation is under way, and its time limited if its timer should not go off. */
  async #watch(): Promise<void> {
    const record = this.#record;
    if (record === undefined || this.#isOver) return;
    if (Date.now() >= this.#deadline) {
      this.#endTimedOut();
      return;
    }
    await this.#deadlines.set({ watch: Date.now() + KEEP_ALIVE_INTERVAL_MS });
    if (record.row.status === "running" && !this.#isMarkedRunning) await this.#markRunning();
  }

  /** What fails is tried again by the alarm. */
  async #markRunning(): Promise<void> {
    const { row } = this.#record ?? {};
    if (row === undefined) return;
    try {
      await markInvocationRunning(openDatabase(this.env.DB), row.id);
      this.#isMarkedRunning = true;
    } catch (error) {
      logError("invocation_mark_running_failed", error, this.#identity);
    }
  }

  async #forwardLines(lines: LoggedLine[]): Promise<void> {
    const { row } = this.#record ?? {};
    if (row === undefined) return;
    try {
      await this.env.DEPLOYMENT.getByName(row.deploymentId).log(lines);
    } catch (error) {
      logError("invocation_log_lines_lost", error, this.#identity);
    }
  }

  get #isOver(): boolean {
    return this.#record !== undefined && isFinished(this.#record.row.status);
  }

  #write(record: InvocationRecord): void {
    this.#record = record;
    this.#storage.write(record);
    this.#accepted.resolve();
  }

  get #identity() {
    const { row } = this.#record ?? {};
    return { invocation_id: row?.id, organization_id: row?.organizationId };
  }
}

function failure(statusReason: string): Ending {
  return { status: "failed", statusReason, output: null, outputInFiles: false };
}
