import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { callService, type Operator } from "../deploy/service.ts";
import { errorText, SetUpError } from "../local/set-up-error.ts";

const CAPABILITIES = "/admin/capabilities";

/** A check may be tried twice, for two minutes each. */
const CHECK_TIMEOUT_MS = 260_000;

const LONG_POLL_MS = 2000;

/** How long after its end a long check may report. */
const LONG_GRACE_MS = 90_000;

const probeSchema = z.object({
  name: z.string(),
  title: z.string(),
  runs_in: z.enum(["service", "client"]),
  is_long: z.boolean(),
  measured_at: z.string().nullable(),
});

const resultSchema = z.object({
  name: z.string(),
  outcome: z.enum(["holds", "differs", "untried"]),
  seen: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  duration_ms: z.number(),
  cost: z.record(z.string(), z.number()).default({}),
});

const capabilitySchema = resultSchema.extend({ measured_at: z.string().nullable() });

export type Probe = z.infer<typeof probeSchema>;
export type Result = z.infer<typeof resultSchema>;
export type Finding = Pick<Result, "outcome" | "seen"> & { details?: Result["details"] };

export const untried = (seen: string): Finding => ({ outcome: "untried", seen });

interface RunOptions {
  proxy: string | undefined;
  seconds: number;
  signal: AbortSignal;
}

/** The operator's side of a service. */
export class ProbeAPI {
  readonly operator: Operator;

  constructor(operator: Operator) {
    this.operator = operator;
  }

  /** @throws SetUpError when the token or the address is wrong. */
  async listProbes(): Promise<Probe[]> {
    try {
      return probeSchema.array().parse(await this.#call("GET", CAPABILITIES));
    } catch (error) {
      throw new SetUpError(`The service cannot be probed: ${errorText(error)}`);
    }
  }

  /** Also waits for the result of a long check. A refusal or a time-out is a result. */
  async run({ name, measured_at }: Probe, { proxy, seconds, signal }: RunOptions): Promise<Result> {
    const startedAt = Date.now();
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
      const answer = await this.#call("POST", `${CAPABILITIES}/${name}/probe`, { proxy, seconds }, limit);
      if (answer !== undefined) return resultSchema.parse(answer);
      return await this.#waitForResult(name, measured_at, 2 * seconds * 1000 + LONG_GRACE_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      return {
        name,
        ...untried(errorText(error)),
        details: {},
        duration_ms: Date.now() - startedAt,
        cost: {},
      };
    }
  }

  async report({ name, outcome, seen, details, duration_ms }: Result): Promise<void> {
    await this.#call("PUT", `${CAPABILITIES}/${name}`, { outcome, seen, details, duration_ms });
  }

  async #waitForResult(
    name: string,
    before: string | null,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<Result> {
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      const results = capabilitySchema.array().parse(await this.#call("GET", CAPABILITIES));
      const result = results.find((candidate) => candidate.name === name);
      if (result !== undefined && result.measured_at !== before) return result;
      await setTimeout(LONG_POLL_MS, undefined, { signal });
    }
    throw new Error("no new result");
  }

  async #call(method: string, path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    return (await callService(this.operator, method, path, body, signal)).value;
  }
}
