import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../../alarms/deadlines.ts";
import { serviceUnavailable } from "../../common/errors.ts";
import { logError, logEvent } from "../../common/log.ts";
import { type Outcome, settle } from "../../common/outcome.ts";
import { readSettings } from "../../common/settings.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import type { AppRow, DeploymentRow, DeploymentState } from "../../database/schema/apps.ts";
import { toEventStream } from "../../http/event-stream.ts";
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

const RECORD_KEY = "deployment";

/** A version label that means whatever was deployed last: no force is needed to move it on. */
const LATEST_VERSION = "latest";

/** What breaks off is begun anew so often: not for ever, since it may be the app that breaks it off. */
const MAX_ATTEMPTS = 3;

/** When the alarm takes up a stop that did not come through. */
const STOP_RETRY_DELAY_MS = 30_000;

/** How often a replaced deployment looks whether its last invocations have ended. */
const RETIRE_RETRY_DELAY_MS = 60_000;

/** `work`: whatever is to be done next; `lines`: forget old ones; `retire`: stop, once nothing runs of it any more. */
type DeadlineKind = "work" | "lines" | "retire";

/**
 * One deployment, named by its id: makes an app of what was uploaded, and keeps what it and its invocations log. It is
 * the only one to change the deployment's state. What is decided is written here first, then the database is told, and
 * then those who follow: whatever breaks off in between, the alarm takes it up.
 */
export class Deployment extends DurableObject<Env> {
  readonly #deadlines: Deadlines<DeadlineKind>;
  readonly #journal: EventJournal<DeploymentChange>;
  /** Aborted when the deployment is not wanted any more. */
  readonly #abort = new AbortController();
  #record: DeploymentRecord | undefined;
  #hasLinesDeadline = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#journal = new EventJournal(ctx.storage);
    this.#record = ctx.storage.kv.get<DeploymentRecord>(RECORD_KEY);
    const { state } = this.#record?.row ?? {};
    if (state !== undefined && isOver(state)) this.#journal.end();
    // Whatever was under way in the object before this one has ended with it.
    if (state === "queued" || state === "in_progress") {
      void ctx.blockConcurrencyWhile(() => this.#deadlines.set({ work: Date.now() }));
    }
  }

  /** Has the deployment made, unless that is under way. Called by whoever finds that it stands still, too. */
  async begin(row: DeploymentRow): Promise<void> {
    if (this.#record === undefined) {
      this.#write({ row, attempts: 0 });
      this.#journal.record({ state: row.state, reason: row.stateReason }, row.createdAt);
      await this.#deadlines.set({ lines: Date.now() + this.#lineRetentionMs });
    }
    await this.#deadlines.set({ work: Date.now() });
  }

  /**
   * Stops the deployment and its invocations, unless it is over, and takes it out of the lists of its apps' names.
   * Refuses with 503 when it takes longer.
   */
  async stop(row: DeploymentRow): Promise<Outcome<void>> {
    return settle(async () => {
      if (this.#record === undefined) await this.begin(row);
      try {
        await this.#delete();
      } catch (error) {
        throw serviceUnavailable("The deployment is being stopped", 1, error);
      }
    });
  }

  async #delete(): Promise<void> {
    const record = this.#write({ ...this.#require(), deleted: true });
    // A failure that is decided stays one.
    if (!isOver(record.row.state) && (record.outcome === undefined || "apps" in record.outcome)) {
      this.#write({ ...record, stopReason: record.stopReason ?? "Stopped by a call" });
      this.#abort.abort();
    }
    await this.#deadlines.set({ work: Date.now() + STOP_RETRY_DELAY_MS });
    await this.#applyOutcome();
  }

  /** The events of the deployment since a time, as server-sent events that end with the deployment. */
  async events(row: DeploymentRow, since: number | undefined): Promise<ReadableStream<Uint8Array>> {
    if (this.#record === undefined) await this.begin(row);
    return toEventStream(
      this.#journal.read(since),
      (entry) => toDeploymentEvent(row, entry),
      () => undefined,
    );
  }

  /** Keeps lines that an invocation of its apps has logged. */
  async log(lines: LoggedLine[]): Promise<void> {
    if (this.#record === undefined || isOver(this.#record.row.state)) return;
    this.#journal.log(lines);
    if (this.#hasLinesDeadline) return;
    this.#hasLinesDeadline = true;
    await this.#deadlines.set({ lines: Date.now() });
  }

  /** Other deployments have taken the place of its apps. It stops when nothing of it runs any more. */
  async retire(): Promise<void> {
    if (this.#record === undefined || isOver(this.#record.row.state)) return;
    await this.#deadlines.set({ retire: Date.now() });
  }

  /** Forgets the deployment: its organization is gone. */
  async remove(): Promise<void> {
    this.#abort.abort();
    this.#record = undefined;
    this.#journal.end();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.#deadlines.run(
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
      if (this.#needsBuild) await this.#make();
    } catch (error) {
      // Whoever does not want it any more goes on.
      if (this.#abort.signal.aborted) return;
      throw error;
    }
    try {
      await this.#applyOutcome();
    } catch (error) {
      // Of one that was removed nothing is to be done again.
      if (this.#record !== undefined) throw error;
    }
  }

  get #needsBuild(): boolean {
    const { row, outcome, stopReason } = this.#record ?? {};
    return (
      (row?.state === "queued" || row?.state === "in_progress") &&
      outcome === undefined &&
      stopReason === undefined
    );
  }

  /** Decides what the deployment comes to. */
  async #make(): Promise<void> {
    const { row, attempts } = this.#require();
    if (row.state === "queued") await this.#startProgress(row);
    const record = this.#write({ ...this.#require(), attempts: attempts + 1 });
    const outcome =
      attempts < MAX_ATTEMPTS
        ? await this.#buildApps(record.row)
        : { failure: "The service was interrupted again and again while it worked on it; deploy it anew" };
    this.#abort.signal.throwIfAborted();
    this.#write({ ...this.#require(), outcome });
  }

  async #startProgress({ id }: DeploymentRow): Promise<void> {
    const updatedAt = Date.now();
    await updateDeploymentState(this.#database, id, { state: "in_progress", updatedAt });
    this.#abort.signal.throwIfAborted();
    this.#enter("in_progress", null, updatedAt);
  }

  async #buildApps(row: DeploymentRow): Promise<DeploymentRecord["outcome"]> {
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
      // What was stored after it was stopped nobody else removes.
      if (this.#abort.signal.aborted) await deleteDeploymentFiles(this.env, row);
    }
  }

  /** Tells the database and those who follow what is decided, and clears away what nobody needs any more. */
  async #applyOutcome(): Promise<void> {
    const record = this.#record;
    if (record === undefined) return;
    if (!isOver(record.row.state)) await this.#finish(record);
    // A call may have come meanwhile.
    if (this.#record?.deleted) await removeApps(this.#database, record.row.id);
  }

  async #finish({ row, outcome, stopReason }: DeploymentRecord): Promise<void> {
    const apps = outcome !== undefined && "apps" in outcome ? outcome.apps : [];
    if (stopReason !== undefined) await this.#finishStopping(row, apps, stopReason);
    else if (outcome !== undefined && "failure" in outcome) await this.#finishFailing(row, outcome.failure);
    else if (outcome !== undefined) await this.#finishMaking(row, apps);
  }

  async #finishStopping(row: DeploymentRow, apps: AppRow[], stateReason: string): Promise<void> {
    const updatedAt = Date.now();
    await unpublishApps(this.#database, row.id, { stateReason, updatedAt });
    await failInvocationsOfDeployment(this.env, row.id, "The deployment was stopped");
    await deleteDeploymentFiles(this.env, row);
    await this.#retireReplaced(row, apps);
    this.#enter("stopped", stateReason, updatedAt);
  }

  async #finishFailing(row: DeploymentRow, failure: string): Promise<void> {
    const updatedAt = Date.now();
    await updateDeploymentState(this.#database, row.id, { state: "failed", stateReason: failure, updatedAt });
    await deleteDeploymentFiles(this.env, row);
    if (this.#require().row.state !== "failed") this.#journal.record({ failure });
    this.#enter("failed", failure, updatedAt);
  }

  async #finishMaking(row: DeploymentRow, apps: AppRow[]): Promise<void> {
    if (row.state !== "running" && !(await this.#publish(row, apps))) return;
    await deleteSource(this.env, row);
    await this.#retireReplaced(row, apps);
  }

  async #retireReplaced(row: DeploymentRow, apps: AppRow[]): Promise<void> {
    for (const id of await listReplacedDeployments(this.#database, row, namesOf(apps))) {
      await deploymentObject(this.env, id).retire();
    }
  }

  /** Makes the apps those that invocations run; false: others have their names, or they are not wanted any more. */
  async #publish(row: DeploymentRow, apps: AppRow[]): Promise<boolean> {
    const replaces = row.force || row.version === LATEST_VERSION;
    const at = Date.now();
    const published = await publishApps(this.#database, row, apps, { replaces, at });
    if (this.#abort.signal.aborted) return false;
    if (published) {
      for (const { id, name, actions } of apps) this.#journal.record({ app: { id, name, actions } });
      this.#enter("running", null, at);
      return true;
    }
    const taken = await listTakenNames(this.#database, row, namesOf(apps), { replaces });
    if (this.#abort.signal.aborted) return false;
    // They were given up in between.
    if (taken.length === 0) return this.#publish(row, apps);
    const version = `${row.version} of ${taken.join(", ")}`;
    const failure = replaces
      ? `A later deployment has taken its place, as version ${version}`
      : `Version ${version} is deployed already; deploy with force to replace it`;
    this.#write({ ...this.#require(), outcome: { failure } });
    await this.#applyOutcome();
    return false;
  }

  async #retireIfIdle(): Promise<void> {
    const { row } = this.#record ?? {};
    if (row === undefined || isOver(row.state)) return;
    // What the database knows already, but not yet the object, is told first.
    const isRunning = row.state === "running";
    if (isRunning && (await hasCurrentApps(this.#database, row.id))) return;
    if (!isRunning || (await listUnfinishedOfDeployment(this.#database, row.id)).length > 0) {
      await this.#deadlines.set({ retire: Date.now() + RETIRE_RETRY_DELAY_MS });
      return;
    }
    const record = this.#require();
    this.#write({ ...record, stopReason: record.stopReason ?? "Replaced by a later deployment" });
    await this.#deadlines.set({ work: Date.now() });
  }

  async #deleteOldLines(): Promise<void> {
    const oldest = this.#journal.deleteLinesBefore(Date.now() - this.#lineRetentionMs);
    this.#hasLinesDeadline = oldest !== undefined;
    if (oldest !== undefined) await this.#deadlines.set({ lines: oldest + this.#lineRetentionMs + 1 });
  }

  /** Enters a state that the database knows, once. */
  #enter(state: DeploymentState, stateReason: string | null, updatedAt: number): void {
    const record = this.#require();
    if (record.row.state === state) return;
    this.#write({ ...record, row: { ...record.row, state, stateReason, updatedAt } });
    this.#journal.record({ state, reason: stateReason }, updatedAt);
    if (isOver(state)) this.#journal.end();
    logEvent("deployment_state", { ...this.#identity, state });
  }

  #require(): DeploymentRecord {
    if (this.#record === undefined) throw new Error("The deployment was removed");
    return this.#record;
  }

  #write(record: DeploymentRecord): DeploymentRecord {
    this.#record = record;
    this.ctx.storage.kv.put(RECORD_KEY, record);
    return record;
  }

  get #lineRetentionMs(): number {
    return readSettings(this.env).apps.logRetentionMs;
  }

  get #identity() {
    return { deployment_id: this.#record?.row.id, organization_id: this.#record?.row.organizationId };
  }

  get #database(): Database {
    return openDatabase(this.env.DB);
  }
}

function namesOf(apps: AppRow[]): string[] {
  return apps.map(({ name }) => name);
}
