import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { parseEnv } from "node:util";
import Kernel from "@onkernel/sdk";
import { z } from "zod";
import { ServiceLog } from "./service-log.ts";

export const ROOT = join(import.meta.dirname, "../..");

const secretsSchema = z.object({
  TOKEN_SECRET: z.string(),
  ENCRYPTION_KEY: z.string(),
  ADMIN_TOKEN: z.string(),
});

const organizationSchema = z.object({ id: z.string(), api_key: z.object({ key: z.string() }) });

export interface Organization {
  id: string;
  apiKey: string;
}

/** A running Berth as a test file uses it, whoever has started it. */
export abstract class ServiceClient {
  readonly baseURL: string;
  /** Key of the organization that tests use unless they make one of their own. */
  readonly apiKey: string;
  readonly log = new ServiceLog();

  constructor(baseURL: string, apiKey: string) {
    this.baseURL = baseURL;
    this.apiKey = apiKey;
  }

  /** Notes a secret that a test came by; the output must not tell it. */
  abstract keepSecret(secret: string): void;

  /** Ends all that the test file has of the service. */
  abstract end(): Promise<void>;

  /** The SDK's client. It repeats nothing by itself unless told to. */
  kernel(options: Partial<ConstructorParameters<typeof Kernel>[0]> = {}): Kernel {
    return new Kernel({
      baseURL: this.baseURL,
      apiKey: this.apiKey,
      maxRetries: 0,
      logLevel: "off",
      ...options,
    });
  }

  /** An organization of a test's own, with its first key. */
  async createOrganization(limits: { max_concurrent_sessions?: number } = {}): Promise<Organization> {
    const organization = await createOrganization(this.baseURL, limits);
    this.keepSecret(organization.apiKey);
    return organization;
  }

  /** Folder of what the service stores. */
  abstract get stateDirectory(): string;

  /** Runs the scheduled handler, as if `laterMs` had passed. */
  async runScheduled({ laterMs = 0 } = {}): Promise<void> {
    const path = `/?time=${Date.now() + laterMs}`;
    const lock: unknown = JSON.parse(readFileSync(join(this.stateDirectory, "service.json"), "utf8"));
    const { temporaryFolder } = z.object({ temporaryFolder: z.string() }).parse(lock);
    const call = request({ method: "POST", path, socketPath: join(temporaryFolder, "scheduled.sock") }).end();
    const [response]: IncomingMessage[] = await once(call, "response");
    if (response?.statusCode !== 200)
      throw new Error(`The scheduled handler answers ${response?.statusCode}`);
    response.resume();
  }

  get adminToken(): string {
    return readSecrets().ADMIN_TOKEN;
  }

  get tokenSecret(): string {
    return readSecrets().TOKEN_SECRET;
  }

  get encryptionKey(): string {
    return readSecrets().ENCRYPTION_KEY;
  }
}

export async function createOrganization(baseURL: string, limits: object = {}): Promise<Organization> {
  const response = await fetch(`${baseURL}/admin/organizations`, {
    method: "POST",
    headers: { authorization: `Bearer ${readSecrets().ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test organization", ...limits }),
  });
  const { id, api_key } = organizationSchema.parse(await response.json());
  return { id, apiKey: api_key.key };
}

/** The secrets that local services share. */
function readSecrets(): z.infer<typeof secretsSchema> {
  return secretsSchema.parse(parseEnv(readFileSync(join(ROOT, ".dev.vars"), "utf8")));
}
