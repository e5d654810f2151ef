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

export abstract class ServiceClient {
  readonly baseURL: string;
  /** The API key of the default organization. */
  readonly apiKey: string;
  readonly log = new ServiceLog();

  constructor(baseURL: string, apiKey: string) {
    this.baseURL = baseURL;
    this.apiKey = apiKey;
  }

  /** Registers a secret that the service's output must not contain. */
  abstract keepSecret(secret: string): void;

  /** Releases what the test file uses of the service. */
  abstract end(): Promise<void>;

  /** @returns an SDK client, by default without retries. */
  kernel(options: Partial<ConstructorParameters<typeof Kernel>[0]> = {}): Kernel {
    return new Kernel({
      baseURL: this.baseURL,
      apiKey: this.apiKey,
      maxRetries: 0,
      logLevel: "off",
      ...options,
    });
  }

  /** Sends a request, with a JSON body if one is given. */
  send(method: string, path: string, body?: object, apiKey = this.apiKey): Promise<Response> {
    return fetch(`${this.baseURL}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  async createOrganization(limits: { max_concurrent_sessions?: number } = {}): Promise<Organization> {
    const organization = await createOrganization(this.baseURL, limits);
    this.keepSecret(organization.apiKey);
    return organization;
  }

  abstract get stateDirectory(): string;

  /** Runs the scheduled handler as if `laterMs` had passed. */
  async runScheduled({ laterMs = 0 } = {}): Promise<void> {
    const path = `/?time=${Date.now() + laterMs}`;
    const lock: unknown = JSON.parse(readFileSync(join(this.stateDirectory, "service.json"), "utf8"));
    const { temporaryFolder } = z.object({ temporaryFolder: z.string() }).parse(lock);
    const sent = request({ method: "POST", path, socketPath: join(temporaryFolder, "scheduled.sock") }).end();
    const [response]: IncomingMessage[] = await once(sent, "response");
    if (response?.statusCode !== 200)
      throw new Error(`The scheduled handler returned ${response?.statusCode}`);
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

/** Reads the secrets that all local services share. */
export function readSecrets(): z.infer<typeof secretsSchema> {
  return secretsSchema.parse(parseEnv(readFileSync(join(ROOT, ".dev.vars"), "utf8")));
}
