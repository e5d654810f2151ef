import { expect } from "vitest";
import type { z } from "zod";
import { executionSchema } from "../../../src/api/playwright/schema.ts";
import type { Client } from "../../api.ts";

/** Runs scripts in a client's session. */
export class Scripts {
  readonly #client: Client;
  readonly #path: string;

  constructor(client: Client, session: string) {
    this.#client = client;
    this.#path = `/browsers/${session}/playwright/execute`;
  }

  async run(
    code: string,
    { seconds = 20, signal }: { seconds?: number; signal?: AbortSignal } = {},
  ): Promise<z.infer<typeof executionSchema>> {
    const body = { code, timeout_sec: seconds };
    return (await this.#client.call("POST", this.#path, { body, signal })).read(executionSchema);
  }

  /** The result of a script that must succeed. */
  async result(code: string): Promise<unknown> {
    const { success, result, error, stderr } = await this.run(code);
    expect(success, `${error}\n${stderr}`).toBe(true);
    return result;
  }

  /** The error of a script that must fail. */
  async error(code: string, options?: { seconds?: number }): Promise<string> {
    const { success, error = "" } = await this.run(code, options);
    expect(success).toBe(false);
    return error;
  }
}
