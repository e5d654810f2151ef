import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterAll, inject } from "vitest";
import { z } from "zod";
import { createOrganization, type Organization, ServiceClient } from "./service-client.ts";

const sharedSchema = z.object({ baseURL: z.string(), stateDirectory: z.string() });

/**
 * The service that all test files of a run share, with an organization for the file. The log has events of
 * all files, so filter them by session, pool or organization.
 */
export class SharedService extends ServiceClient {
  readonly stateDirectory: string;
  /** The control server of the global setup. */
  readonly #control: string;
  readonly #output: IncomingMessage;
  readonly #organizations: Organization[];
  readonly #pendingSecrets: Promise<unknown>[] = [];

  private constructor(
    baseURL: string,
    parts: { stateDirectory: string; control: string; output: IncomingMessage; organization: Organization },
  ) {
    super(baseURL, parts.organization.apiKey);
    this.stateDirectory = parts.stateDirectory;
    this.#control = parts.control;
    this.#output = parts.output;
    this.#organizations = [parts.organization];
    this.log.follow(parts.output);
    this.keepSecret(parts.organization.apiKey);
  }

  /** For a test file that calls this while it is loaded; it is released after the file's tests. */
  static async use(): Promise<SharedService> {
    const service = await SharedService.open();
    afterAll(() => service.end());
    return service;
  }

  /** Call {@link end} after use. */
  static async open(): Promise<SharedService> {
    const control = inject("sharedService");
    const response = await fetch(control);
    if (!response.ok) throw new Error(`The shared service did not start: ${await response.text()}`);
    const { baseURL, stateDirectory } = sharedSchema.parse(await response.json());
    const [output]: IncomingMessage[] = await once(get(`${control}/log`), "response");
    if (output === undefined) throw new Error("The shared service has no log");
    // `end` aborts the response.
    output.on("error", () => {});
    const organization = await createOrganization(baseURL);
    return new SharedService(baseURL, { stateDirectory, control, output, organization });
  }

  keepSecret(secret: string): void {
    this.#pendingSecrets.push(fetch(`${this.#control}/secrets`, { method: "POST", body: secret }));
  }

  override async createOrganization(
    limits: { max_concurrent_sessions?: number } = {},
  ): Promise<Organization> {
    const organization = await super.createOrganization(limits);
    this.#organizations.push(organization);
    return organization;
  }

  /** Deletes the file's organizations, which ends their sessions. */
  async end(): Promise<void> {
    await Promise.all(this.#pendingSecrets);
    for (const { id } of this.#organizations) {
      const path = `/admin/organizations/${id}`;
      const response = await this.send("DELETE", path, undefined, this.adminToken);
      if (!response.ok) throw new Error(`Could not delete an organization: ${await response.text()}`);
    }
    this.#output.destroy();
  }
}
