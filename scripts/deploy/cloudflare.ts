import { spawnSync } from "node:child_process";
import { z } from "zod";
import { type CommandResult, captureCommand } from "../local/command.ts";
import { SetUpError } from "../local/set-up-error.ts";
import { type Inventory, NAMES } from "./plan.ts";

const accountSchema = z.object({ id: z.string(), name: z.string() });
const whoamiSchema = z.object({ accounts: z.array(accountSchema).default([]) });
const databasesSchema = z.array(z.object({ name: z.string(), uuid: z.string() }));
const secretsSchema = z.array(z.object({ name: z.string() }));

export type Account = z.infer<typeof accountSchema>;

/** Cloudflare's error codes, or their messages. */
const NO_WORKER = /10007|does not exist/;
const NO_BUCKET = /10006|does not exist/;
const R2_DISABLED = /10042|enable R2/i;

export interface WranglerOptions {
  /** Node arguments that run wrangler. */
  program: readonly string[];
  config: string;
  env: NodeJS.ProcessEnv;
}

/** Runs wrangler for a Cloudflare account. */
export class Cloudflare {
  readonly #options: WranglerOptions;

  constructor(options: WranglerOptions) {
    this.#options = options;
  }

  with(options: Partial<WranglerOptions>): Cloudflare {
    return new Cloudflare({ ...this.#options, ...options });
  }

  /** Returns the accounts of the login, or undefined without a login. */
  async accounts(): Promise<Account[] | undefined> {
    const { code, stdout } = await this.#capture(["whoami", "--json"], "Reading the Cloudflare login");
    return code === 0 ? whoamiSchema.parse(JSON.parse(stdout)).accounts : undefined;
  }

  /** @throws SetUpError when R2 is not enabled. */
  async takeInventory(account: Account): Promise<Inventory> {
    return {
      account,
      databaseId: await this.findDatabase(),
      hasBucket: await this.#hasBucket(),
      workerSecrets: await this.workerSecrets(),
    };
  }

  async findDatabase(): Promise<string | undefined> {
    const title = "Listing the D1 databases";
    const result = requireSuccess(await this.#capture(["d1", "list", "--json"], title), title);
    return databasesSchema.parse(JSON.parse(result.stdout)).find(({ name }) => name === NAMES.database)?.uuid;
  }

  /** @throws SetUpError without access to Browser Run. */
  async requireBrowsers(): Promise<void> {
    const title = "Checking access to Browser Run";
    const { code, combined } = await this.#capture(["browser", "list", "--json"], title);
    if (code === 0) return;
    throw new SetUpError(
      `No access to Browser Run (formerly Browser Rendering). An API token needs the permission
"Browser Rendering: Edit".\n\n${combined}`,
    );
  }

  /** Runs wrangler in the terminal, where it can ask questions. @throws SetUpError when it fails. */
  run(args: readonly string[], variables: Record<string, string> = {}): void {
    console.log(`\n> wrangler ${args.slice(0, 3).join(" ")}`);
    const { program, config, env } = this.#options;
    const { status } = spawnSync(process.execPath, [...program, ...args, "--config", config], {
      stdio: "inherit",
      env: { ...env, ...variables },
    });
    if (status !== 0) throw new SetUpError(`wrangler ${args[0]} failed (see above).`);
  }

  async #hasBucket(): Promise<boolean> {
    const title = "Checking for the R2 bucket";
    const result = await this.#capture(["r2", "bucket", "info", NAMES.bucket, "--json"], title);
    if (result.code === 0) return true;
    if (R2_DISABLED.test(result.combined)) {
      throw new SetUpError(
        "R2 is not enabled in this account. Enable it in the Cloudflare dashboard under Storage & databases > R2\n(it has a free tier), then try again.",
      );
    }
    if (NO_BUCKET.test(result.combined)) return false;
    throw new SetUpError(`${title} failed:\n\n${result.combined}`);
  }

  /** Returns the names of the Worker's secrets, or undefined without a Worker. */
  async workerSecrets(): Promise<string[] | undefined> {
    const title = "Listing the Worker's secrets";
    const result = await this.#capture(["secret", "list", "--format", "json"], title);
    if (result.code !== 0 && NO_WORKER.test(result.combined)) return undefined;
    requireSuccess(result, title);
    return secretsSchema.parse(JSON.parse(result.stdout)).map(({ name }) => name);
  }

  #capture(args: readonly string[], title: string): Promise<CommandResult> {
    const { program, config, env } = this.#options;
    return captureCommand(process.execPath, [...program, ...args, "--config", config], { title, env });
  }
}

function requireSuccess(result: CommandResult, title: string): CommandResult {
  if (result.code !== 0) throw new SetUpError(`${title} failed:\n\n${result.combined}`);
  return result;
}
