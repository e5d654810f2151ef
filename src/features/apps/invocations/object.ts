import { DurableObject } from "cloudflare:workers";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import { conflict } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { type Outcome, settle } from "../../../lib/common/outcome.ts";
import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import { InvocationEnd } from "./end.ts";
import { streamInvocationEvents } from "./events.ts";
import type { InvocationRecord } from "./record.ts";
import { InvocationRun } from "./run.ts";
import { RunLog } from "./run-log.ts";
import type { UpdateInvocationBody } from "./schema.ts";
import { type InvocationDeadline, InvocationState } from "./state.ts";
import { findInvocation, type InvocationReference } from "./store.ts";
import { isFinished, planRecovery } from "./transitions.ts";

/** The platform evicts an object without calls, so its alarm calls it while its invocation is unfinished. */
const KEEP_ALIVE_INTERVAL_MS = 8000;

/** How long after its row is written an invocation may take to reach its object. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** One invocation, named by its id. Only this object changes its state: here first, then in the index. */
export class Invocation extends DurableObject<Env> {
  readonly #context: InvocationState;
  readonly #log: RunLog;
  readonly #end: InvocationEnd;
  readonly #run: InvocationRun;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const context = new InvocationState(ctx, env);
    const log = new RunLog(context);
    const end = new InvocationEnd(context, log);
    this.#context = context;
    this.#log = log;
    this.#end = end;
    this.#run = new InvocationRun(context, { log, end });
    if (context.record !== undefined) this.#resume(context.record);
  }

  /** Begins the invocation. Can be repeated. @returns it; when it is awaited, once it has finished. */
  async start(start: InvocationRecord): Promise<InvocationRow> {
    const context = this.#context;
    if (context.record === undefined) {
      context.write(start);
      context.journal.record({ status: "queued" }, start.row.startedAt);
      await context.deadlines.set({ watch: Date.now() + KEEP_ALIVE_INTERVAL_MS });
      this.#run.start();
    }
    const { row } = context.record ?? start;
    if (!start.isAwaited || isFinished(row.status)) return row;
    await context.finished.promise;
    return (context.record ?? start).row;
  }

  /** Finishes the invocation, and ends its action and its browsers; 409 when it has finished. */
  update(row: InvocationRow, { status, output }: UpdateInvocationBody): Promise<Outcome<InvocationRow>> {
    return settle(async () => {
      await this.#whenAccepted(row);
      const statusReason = status === "failed" ? "Cancelled by a call" : null;
      const hasFinished = await this.#end.finish(status, statusReason, output);
      await this.#end.settled();
      const { record } = this.#context;
      if (!hasFinished || record === undefined) throw conflict("The invocation has already finished");
      return record.row;
    });
  }

  async fail(reason: string): Promise<void> {
    if (this.#end.fail(reason)) await this.#context.finished.promise;
  }

  /** Whether the invocation is this organization's and has not finished. */
  authorizeRun(organizationId: string): boolean {
    const { record, isOver } = this.#context;
    return record?.row.organizationId === organizationId && !isOver;
  }

  /** Adds a session to the invocation's log. Sessions call this when they have started. */
  async logSession(organizationId: string, sessionId: string): Promise<void> {
    if (this.authorizeRun(organizationId)) await this.#log.add(`Created browser session ${sessionId}`);
  }

  /** @param row in the index, if the object has stored nothing. @param since milliseconds since the epoch. */
  async events(row: InvocationRow, since: number | undefined): Promise<ReadableStream<Uint8Array>> {
    await this.#whenAccepted(row);
    return streamInvocationEvents(this.#context, row, since);
  }

  /** Repairs an invocation that is unfinished in the index. @returns undefined when the index has none. */
  async reconcile(reference: InvocationReference): Promise<InvocationRow | undefined> {
    const context = this.#context;
    if (context.record === undefined) {
      const row = await findInvocation(context.database, reference, reference.id);
      if (row === undefined || isFinished(row.status)) return row;
      // It may have been accepted in the meantime.
      if (context.record === undefined) this.#failLost(row);
    }
    const { row } = context.record ?? {};
    if (row !== undefined && isFinished(row.status)) await this.#end.settleOrRetryLater();
    return row;
  }

  /** Deletes everything about a finished invocation except its row in the index. */
  async deleteLogs(): Promise<void> {
    if (this.#context.isOver) await this.#context.delete();
  }

  override async alarm(): Promise<void> {
    const { deadlines, identity } = this.#context;
    await deadlines.run(
      (kind) => this.#serveDeadline(kind),
      (kind, error) => logError("invocation_deadline_failed", error, { ...identity, deadline: kind }),
    );
  }

  #serveDeadline(kind: InvocationDeadline): Promise<void> {
    return kind === "watch" ? this.#watch() : this.#end.settle();
  }

  /** Keeps the object awake, and applies the time limit in case its timer is lost. */
  async #watch(): Promise<void> {
    const { record, isOver, deadlines } = this.#context;
    if (record === undefined || isOver) return;
    if (Date.now() >= this.#end.deadline) {
      this.#end.failTimedOut();
      return;
    }
    await deadlines.set({ watch: Date.now() + KEEP_ALIVE_INTERVAL_MS });
    await this.#run.markRunning();
  }

  #resume({ row, isAwaited }: InvocationRecord): void {
    const next = planRecovery(row.status, isAwaited);
    if (next.do === "begin") this.#run.start();
    else if (next.do === "fail") this.#end.fail(next.reason);
    else {
      this.#context.journal.end();
      this.#context.finished.resolve();
    }
  }

  /** Waits for the start of an invocation whose row was just written, and fails one whose start is lost. */
  async #whenAccepted(row: InvocationRow): Promise<void> {
    if (this.#context.record !== undefined || isFinished(row.status)) return;
    const remainingMs = row.startedAt + ACCEPT_TIMEOUT_MS - Date.now();
    await resolveWithin(this.#context.accepted.promise, Math.max(0, remainingMs));
    if (this.#context.record === undefined) await this.reconcile(row);
  }

  #failLost(row: InvocationRow): void {
    this.#context.write({ row, envVars: null, origin: "", isAwaited: true, timeoutMs: 0 });
    this.#context.journal.record({ status: row.status }, row.startedAt);
    this.#end.fail("The service failed before the action began");
  }
}
