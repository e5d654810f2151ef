import { DurableObject } from "cloudflare:workers";
import { serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError, logEvent } from "../../../lib/common/log.ts";
import { type Outcome, settle } from "../../../lib/common/outcome.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import type { AppRow, DeploymentRow, DeploymentState } from "../../../lib/database/schema/apps.ts";
import { toEventStream } from "../../../lib/http/event-stream.ts";
import { ObjectState } from "../../../lib/objects/object-state.ts";
import { EventJournal, type LoggedLine } from "../event-journal.ts";
import { failInvocationsOfDeployment } from "../invocations/fail-invocations.ts";
import { listUnfinishedOfDeployment } from "../invocations/store.ts";
import { AppError } from "./app-error.ts";
import { buildApps } from "./build-apps.ts";
import { toDeploymentEvent } from "./events.ts";
import { deleteDeploymentFiles, deleteSource } from "./files.ts";
import { type DeploymentChange, type DeploymentRecord, isOver } from "./record.ts";
import {
  hasCurrentApps,
  listReplacedDeployments,
  listTakenNames,
  publishApps,
  removeApps,
  unpublishApps,
  updateDeploymentState,
} from "./store.ts";
import { deploymentObject } from "./stub.ts";

/** This version label is replaced without `force`. */
const LATEST_VERSION = "latest";

/** The app itself may be what interrupts the build. */
const MAX_ATTEMPTS = 3;

const STOP_RETRY_DELAY_MS = 30_000;

const RETIRE_RETRY_DELAY_MS = 60_000;

/** `work`: build, or finish a change of state; `lines`: delete old ones; `retire`: stop once nothing runs. */
type DeadlineKind = "work" | "lines" | "retire";

/**
 * One deployment, named by its id. It builds the app, keeps its log, and alone changes the deployment's
 * state: here first, then in the database, then in the journal. The alarm continues interrupted work.
 */
export class Deployment extends DurableObject<Env> {
  readonly #state: ObjectState<DeploymentRecord, DeadlineKind>;
  readonly #journal: EventJournal<DeploymentChange>;
  readonly #abort = new AbortController();
  #hasLinesDeadline = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#state = new ObjectState(ctx, env, "deployment");
    this.#journal = new EventJournal(ctx.storage);
    const { state } = this.#state.record?.row ?? {};
    if (state !== undefined && isOver(state)) this.#journal.end();
    // The object was restarted during its work.
    if (state === "queued" || state === "in_progress") {
      void ctx.blockConcurrencyWhile(() => this.#state.deadlines.set({ work: Date.now() }));
    }
  }

  /** Begins or continues the build. */
  async begin(row: DeploymentRow): Promise<void> {
    if (this.#state.record === undefined) {
      this.#state.write({ row, attempts: 0 });
      this.#journal.record({ state: row.state, reason: row.stateReason }, row.createdAt);
      await this.#state.deadlines.set({ lines: Date.now() + this.#lineRetentionMs });
    }
    await this.#state.deadlines.set({ work: Date.now() });
  }

  /** Stops it and its invocations, unlists its apps. 503 when that takes too long; the alarm continues. */
  async stop(row: DeploymentRow): Promise<Outcome<void>> {
    return settle(async () => {
      if (this.#state.record === undefined) await this.begin(row);
      try {
        await this.#delete();
      } catch (error) {
        throw serviceUnavailable("The deployment is being stopped", 1, error);
      }
    });
  }

  async #delete(): Promise<void> {
    const record = this.#state.write({ ...this.#requireRecord(), deleted: true });
    // A decided failure is final.
    if (!isOver(record.row.state) && (record.outcome === undefined || "apps" in record.outcome)) {
      this.#state.write({ ...record, stopReason: record.stopReason ?? "Stopped by a call" });
      this.#abort.abort();
    }
    await this.#state.deadlines.set({ work: Date.now() + STOP_RETRY_DELAY_MS });
    await this.#applyOutcome();
  }

  async events(row: DeploymentRow, since: number | undefined): Promise<ReadableStream<Uint8Array>> {
    if (this.#state.record === undefined) await this.begin(row);
    return toEventStream(
      this.#journal.read(since),
      (entry) => toDeploymentEvent(row, entry),
      () => undefined,
    );
  }

  async log(lines: LoggedLine[]): Promise<void> {
    if (this.#state.record === undefined || isOver(this.#state.record.row.state)) return;
    this.#journal.log(lines);
    if (this.#hasLinesDeadline) return;
    this.#hasLinesDeadline = true;
    await this.#state.deadlines.set({ lines: Date.now() });
  }

  /** Stops the deployment once nothing of it is running. */
  async retire(): Promise<void> {
    if (this.#state.record === undefined || isOver(this.#state.record.row.state)) return;
    await this.#state.deadlines.set({ retire: Date.now() });
  }

  async remove(): Promise<void> {
    this.#abort.abort();
    this.#journal.end();
    await this.#state.delete();
  }

  override async alarm(): Promise<void> {
    await this.#state.deadlines.run(
      async (kind) => {
        if (kind === "work") await this.#work();
        else if (kind === "lines") await this.#deleteOldLines();
        else await this.#retireIfIdle();
      },
      (kind, error) => logError("deployment_deadline_failed", error, { ...this.#identity, deadline: kind }),
    );
  }

  async #work(): Promise<void> {
    try {
      if (this.#needsBuild) await this.#build();
    } catch (error) {
      // Whatever aborted the build carries on.
      if (this.#abort.signal.aborted) return;
      throw error;
    }
    try {
      await this.#applyOutcome();
    } catch (error) {
      // A removed deployment needs no retry.
      if (this.#state.record !== undefined) throw error;
    }
  }

  get #needsBuild(): boolean {
    const { row, outcome, stopReason } = this.#state.record ?? {};
    return (
      (row?.state === "queued" || row?.state === "in_progress") &&
      outcome === undefined &&
      stopReason === undefined
    );
  }

  async #build(): Promise<void> {
    const { row, attempts } = this.#requireRecord();
    if (row.state === "queued") await this.#startProgress(row);
    const record = this.#state.write({ ...this.#requireRecord(), attempts: attempts + 1 });
    const outcome =
      attempts < MAX_ATTEMPTS
        ? await this.#runBuild(record.row)
        : { failure: "The service was interrupted several times while it built the app; deploy it again" };
    this.#abort.signal.throwIfAborted();
    this.#state.write({ ...this.#requireRecord(), outcome });
  }

  async #startProgress({ id }: DeploymentRow): Promise<void> {
    const updatedAt = Date.now();
    await updateDeploymentState(this.#state.database, id, { state: "in_progress", updatedAt });
    this.#abort.signal.throwIfAborted();
    this.#setState("in_progress", null, updatedAt);
  }

  async #runBuild(row: DeploymentRow): Promise<DeploymentRecord["outcome"]> {
    try {
      const apps = await buildApps(this.env, row, {
        packageGateway: this.ctx.exports.PackageGateway,
        signal: this.#abort.signal,
        log: (text) => this.#journal.log([{ at: Date.now(), text }]),
      });
      return { apps };
    } catch (error) {
      if (error instanceof AppError) return { failure: error.message };
      throw error;
    } finally {
      // The files may have been stored after the stop has deleted them.
      if (this.#abort.signal.aborted) await deleteDeploymentFiles(this.env, row);
    }
  }

  async #applyOutcome(): Promise<void> {
    const record = this.#state.record;
    if (record === undefined) return;
    if (!isOver(record.row.state)) await this.#finish(record);
    // A call may have deleted it in the meantime.
    if (this.#state.record?.deleted) await removeApps(this.#state.database, record.row.id);
  }

  async #finish({ row, outcome, stopReason }: DeploymentRecord): Promise<void> {
    const apps = outcome !== undefined && "apps" in outcome ? outcome.apps : [];
    if (stopReason !== undefined) await this.#finishStopped(row, apps, stopReason);
    else if (outcome !== undefined && "failure" in outcome) await this.#finishFailed(row, outcome.failure);
    else if (outcome !== undefined) await this.#finishRunning(row, apps);
  }

  async #finishStopped(row: DeploymentRow, apps: AppRow[], stateReason: string): Promise<void> {
    const updatedAt = Date.now();
    await unpublishApps(this.#state.database, row.id, { stateReason, updatedAt });
    await failInvocationsOfDeployment(this.env, row.id, "The deployment was stopped");
    await deleteDeploymentFiles(this.env, row);
    await this.#retireReplaced(row, apps);
    this.#setState("stopped", stateReason, updatedAt);
  }

  async #finishFailed(row: DeploymentRow, failure: string): Promise<void> {
    const updatedAt = Date.now();
    await updateDeploymentState(this.#state.database, row.id, {
      state: "failed",
      stateReason: failure,
      updatedAt,
    });
    await deleteDeploymentFiles(this.env, row);
    if (this.#requireRecord().row.state !== "failed") this.#journal.record({ failure });
    this.#setState("failed", failure, updatedAt);
  }

  async #finishRunning(row: DeploymentRow, apps: AppRow[]): Promise<void> {
    if (row.state !== "running" && !(await this.#publish(row, apps))) return;
    await deleteSource(this.env, row);
    await this.#retireReplaced(row, apps);
  }

  async #retireReplaced(row: DeploymentRow, apps: AppRow[]): Promise<void> {
    for (const id of await listReplacedDeployments(this.#state.database, row, namesOf(apps))) {
      await deploymentObject(this.env, id).retire();
    }
  }

  /** @returns false when other deployments own the names, or when this one was stopped. */
  async #publish(row: DeploymentRow, apps: AppRow[]): Promise<boolean> {
    const replaces = row.force || row.version === LATEST_VERSION;
    const at = Date.now();
    const published = await publishApps(this.#state.database, row, apps, { replaces, at });
    if (this.#abort.signal.aborted) return false;
    if (published) {
      for (const { id, name, actions } of apps) this.#journal.record({ app: { id, name, actions } });
      this.#setState("running", null, at);
      return true;
    }
    const takenNames = await listTakenNames(this.#state.database, row, namesOf(apps), { replaces });
    if (this.#abort.signal.aborted) return false;
    // The other deployments were stopped in the meantime.
    if (takenNames.length === 0) return this.#publish(row, apps);
    const version = `${row.version} of ${takenNames.join(", ")}`;
    const failure = replaces
      ? `A later deployment has taken its place, as version ${version}`
      : `Version ${version} is deployed already; deploy with force to replace it`;
    this.#state.write({ ...this.#requireRecord(), outcome: { failure } });
    await this.#applyOutcome();
    return false;
  }

  async #retireIfIdle(): Promise<void> {
    const { row } = this.#state.record ?? {};
    if (row === undefined || isOver(row.state)) return;
    // A deployment can be replaced before it has entered its running state here.
    const isRunning = row.state === "running";
    if (isRunning && (await hasCurrentApps(this.#state.database, row.id))) return;
    if (!isRunning || (await listUnfinishedOfDeployment(this.#state.database, row.id)).length > 0) {
      await this.#state.deadlines.set({ retire: Date.now() + RETIRE_RETRY_DELAY_MS });
      return;
    }
    const record = this.#requireRecord();
    this.#state.write({ ...record, stopReason: record.stopReason ?? "Replaced by a later deployment" });
    await this.#state.deadlines.set({ work: Date.now() });
  }

  async #deleteOldLines(): Promise<void> {
    const oldest = this.#journal.deleteLinesBefore(Date.now() - this.#lineRetentionMs);
    this.#hasLinesDeadline = oldest !== undefined;
    if (oldest !== undefined) await this.#state.deadlines.set({ lines: oldest + this.#lineRetentionMs + 1 });
  }

  #setState(state: DeploymentState, stateReason: string | null, updatedAt: number): void {
    const record = this.#requireRecord();
    if (record.row.state === state) return;
    this.#state.write({ ...record, row: { ...record.row, state, stateReason, updatedAt } });
    this.#journal.record({ state, reason: stateReason }, updatedAt);
    if (isOver(state)) this.#journal.end();
    logEvent("deployment_state", { ...this.#identity, state });
  }

  #requireRecord(): DeploymentRecord {
    if (this.#state.record === undefined) throw new Error("The deployment was removed");
    return this.#state.record;
  }

  get #lineRetentionMs(): number {
    return readSettings(this.env).apps.logRetentionMs;
  }

  get #identity() {
    return {
      deployment_id: this.#state.record?.row.id,
      organization_id: this.#state.record?.row.organizationId,
    };
  }
}

function namesOf(apps: AppRow[]): string[] {
  return apps.map(({ name }) => name);
}
