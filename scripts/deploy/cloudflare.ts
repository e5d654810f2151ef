import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { WRANGLER } from "../local/paths.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../local/temporary-folder.ts";
import { type Area, type CloudflareAPI, CloudflareError, type Failure } from "./cloudflare-api.ts";
import { type Inventory, NAMES } from "./plan.ts";

const accountsSchema = z.array(z.object({ id: z.string(), name: z.string() }));
const databaseSchema = z.object({ name: z.string(), uuid: z.string() });
const secretsSchema = z.array(z.object({ name: z.string() }));

export type Account = z.infer<typeof accountsSchema>[number];

/** Cloudflare's error codes. */
const NO_WORKER = 10007;
const NO_SUBDOMAIN = 10007;
const NO_BUCKET = 10006;

/** Entries of WRANGLER_OUTPUT_FILE_PATH. */
const reportSchema = z.union([
  z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() }),
  z.object({ type: z.literal("command-failed"), code: z.number().optional(), message: z.string() }),
]);

/** The only wrangler message that decides anything: it reports failed triggers together, without codes. */
const CODE_IN_MESSAGE = /\[code: (\d+)\]/;

type ReportEntry = z.infer<typeof reportSchema>;

export interface Wrangler {
  config: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Runs wrangler in the terminal, where it can ask questions.
 *
 * @param verb such as "Uploading".
 * @returns the URL of a deployed Worker.
 * @throws CloudflareError.
 */
export function runWrangler(
  { config, env }: Wrangler,
  verb: string,
  area: Area,
  args: readonly string[],
): string | undefined {
  console.log(`\n> wrangler ${args.slice(0, 3).join(" ")}`);
  using cleanUp = new DisposableStack();
  const folder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  const report = join(folder, "report.ndjson");
  const { status } = spawnSync(process.execPath, [WRANGLER, ...args, "--config", config], {
    stdio: "inherit",
    env: { ...env, WRANGLER_OUTPUT_FILE_PATH: report },
  });
  const entries = readReport(report);
  if (status === 0) return entries.flatMap(addressesOf)[0];
  const failed = entries.find((entry) => entry.type === "command-failed");
  const failure: Failure = failed ?? { message: "see above" };
  const code = failure.code ?? (Number(CODE_IN_MESSAGE.exec(failure.message)?.[1]) || undefined);
  throw new CloudflareError(verb, area, { ...failure, code });
}

function readReport(path: string): ReportEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.flatMap((line) => reportSchema.safeParse(JSON.parse(line)).data ?? []);
}

function addressesOf(entry: ReportEntry): string[] {
  return entry.type === "deploy" ? (entry.targets ?? []).filter((target) => URL.canParse(target)) : [];
}

/** An account, with the login of wrangler. Each method throws a CloudflareError. */
export class Cloudflare {
  readonly account: Account;
  readonly wrangler: Wrangler;
  readonly #api: CloudflareAPI;
  readonly #path: string;

  constructor(api: CloudflareAPI, account: Account, wrangler: Wrangler) {
    this.#api = api;
    this.account = account;
    this.wrangler = wrangler;
    this.#path = `/accounts/${account.id}`;
  }

  async takeInventory(): Promise<Inventory> {
    const [databaseId, bucket, workerSecrets] = await Promise.all([
      this.#findDatabase(),
      this.#api.find("the R2 bucket", `${this.#path}/r2/buckets/${NAMES.bucket}`, NO_BUCKET),
      this.workerSecrets(NAMES.worker),
    ]);
    return { account: this.account, databaseId, hasBucket: bucket !== undefined, workerSecrets };
  }

  /** Requires access to Browser Run, and an address for Workers. */
  async requireBrowsersAndSubdomain(): Promise<void> {
    const browsers = `${this.#path}/browser-rendering/devtools/session?limit=1`;
    await this.#api.call("GET", "the list of Browser Run (formerly Browser Rendering)", browsers);
    const area = "the workers.dev subdomain";
    if ((await this.#api.find(area, `${this.#path}/workers/subdomain`, NO_SUBDOMAIN)) === undefined)
      throw new CloudflareError("Reading", area, { code: 10063, message: "there is none" });
  }

  /** @returns its id. */
  async createDatabase(): Promise<string> {
    const body = { name: NAMES.database };
    const database = await this.#api.call("POST", "the D1 database", `${this.#path}/d1/database`, body);
    console.log(`Created the D1 database ${NAMES.database}.`);
    return databaseSchema.parse(database).uuid;
  }

  async createBucket(): Promise<void> {
    await this.#api.call("POST", "the R2 bucket", `${this.#path}/r2/buckets`, { name: NAMES.bucket });
    console.log(`Created the R2 bucket ${NAMES.bucket}.`);
  }

  /** With its Durable Objects, schedule and secrets. */
  deleteWorker = (name: string) => this.#delete("the Worker", `/workers/scripts/${name}?force=true`);

  /** It must be empty. */
  deleteBucket = () => this.#delete("the R2 bucket", `/r2/buckets/${NAMES.bucket}`);

  deleteDatabase = (id: string) => this.#delete("the D1 database", `/d1/database/${id}`);

  /** Returns the names of a Worker's secrets, or undefined without the Worker. */
  async workerSecrets(worker: string): Promise<string[] | undefined> {
    const path = `${this.#path}/workers/scripts/${worker}/secrets`;
    const secrets = await this.#api.find("the Worker", path, NO_WORKER);
    return secrets === undefined ? undefined : secretsSchema.parse(secrets).map(({ name }) => name);
  }

  async #findDatabase(): Promise<string | undefined> {
    // It also returns names that contain this one.
    const path = `${this.#path}/d1/database?name=${NAMES.database}&per_page=1000`;
    const databases = z.array(databaseSchema).parse(await this.#api.call("GET", "the D1 database", path));
    return databases.find(({ name }) => name === NAMES.database)?.uuid;
  }

  async #delete(area: Area, path: string): Promise<void> {
    await this.#api.call("DELETE", area, this.#path + path);
    console.log(`Deleted ${area}.`);
  }
}

export async function listAccounts(api: CloudflareAPI): Promise<Account[]> {
  return accountsSchema.parse(await api.call("GET", "the list of accounts", "/accounts?per_page=50"));
}
