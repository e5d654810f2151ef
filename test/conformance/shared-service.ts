import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { inject } from "vitest";
import { z } from "zod";
import { createOrganization, type Organization, ServiceClient } from "./service-client.ts";

const sharedSchema = z.object({ baseURL: z.string() });

/**
 * The service that all test files of a run share, with an organization of the file's own. Its log also tells of what
 * other files do: look for events by their session, pool or organization.
 *
 * Whoever uses it ends that with {@link end}.
 */
export class SharedService extends ServiceClient {
  /** Of the setup that started it. */
  readonly #control: string;
  readonly #output: IncomingMessage;
  readonly #organizations: Organization[];
  readonly #keeping: Promise<unknown>[] = [];

  private constructor(
    baseURL: string,
    parts: { control: string; output: IncomingMessage; organization: Organization },
  ) {
    super(baseURL, parts.organization.apiKey);
    this.#control = parts.control;
    this.#output = parts.output;
    this.#organizations = [parts.organization];
    this.log.follow(parts.output);
    this.keepSecret(parts.organization.apiKey);
  }

  static async use(): Promise<SharedService> {
    const control = inject("sharedService");
    const answer = await fetch(control);
    if (!answer.ok) throw new Error(`The shared service did not start: ${await answer.text()}`);
    const { baseURL } = sharedSchema.parse(await answer.json());
    const [output]: IncomingMessage[] = await once(get(`${control}/log`), "response");
    if (output === undefined) throw new Error("The shared service has no log");
    // It is cut off when the file has ended.
    output.on("error", () => {});
    return new SharedService(baseURL, { control, output, organization: await createOrganization(baseURL) });
  }

  keepSecret(secret: string): void {
    this.#keeping.push(fetch(`${this.#control}/secrets`, { method: "POST", body: secret }));
  }

  override async createOrganization(
    limits: { max_concurrent_sessions?: number } = {},
  ): Promise<Organization> {
    const organization = await super.createOrganization(limits);
    this.#organizations.push(organization);
    return organization;
  }

  /** Deletes the file's organizations, with all that they still run. */
  async end(): Promise<void> {
    await Promise.all(this.#keeping);
    for (const { id } of this.#organizations) {
      const response = await fetch(`${this.baseURL}/admin/organizations/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${this.adminToken}` },
      });
      if (!response.ok) throw new Error(`An organization is not deleted: ${await response.text()}`);
    }
    this.#output.destroy();
  }
}
