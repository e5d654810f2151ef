import { z } from "zod";
import { parseJSON } from "../../src/lib/common/parse-json.ts";
import { errorText, SetUpError } from "../local/set-up-error.ts";

const REQUEST_TIMEOUT_MS = 60_000;

const answerSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result: z.unknown(),
});

const VERBS = { GET: "Reading", POST: "Creating", DELETE: "Deleting" } as const;

/** The areas of an account: what a token needs to work with them, and their pages in the dashboard. */
const AREAS = {
  "the list of accounts": { permission: "Account Settings: Read", page: "members" },
  "the D1 database": { permission: "D1: Edit", page: "workers/d1" },
  "the R2 bucket": { permission: "Workers R2 Storage: Edit", page: "r2/overview" },
  "the Worker": { permission: "Workers Scripts: Edit", page: "workers-and-pages" },
  "the workers.dev subdomain": { permission: "Workers Scripts: Edit", page: "workers/onboarding" },
  "the list of Browser Run (formerly Browser Rendering)": {
    permission: "Browser Rendering: Edit",
    page: "workers/browser-rendering",
  },
  "the files and rows": {
    permission: "Workers Scripts, D1 and Workers R2 Storage: Edit",
    page: "workers-and-pages",
  },
} as const;

export type Area = keyof typeof AREAS;

const NOT_ALLOWED_CODES: readonly (number | undefined)[] = [9109, 10000];

/** By Cloudflare's error code. */
const ADVICE: Readonly<Record<number, string>> = {
  7406: "The account has as many D1 databases as its plan allows. Delete one, or upgrade the plan.",
  10042: "R2 is not enabled in this account. Enable it (it has a free tier).",
  10063: "The account has no workers.dev subdomain. Choose one.",
  10072: "The account has as many cron triggers as its plan allows. Remove one, or upgrade the plan.",
};

export interface Failure {
  /** HTTP status, if there was an answer. */
  status?: number;
  /** Cloudflare's error code. */
  code?: number;
  message: string;
}

/** What failed and what to do. @param verb such as "Creating". */
export class CloudflareError extends SetUpError {
  readonly code: number | undefined;

  constructor(verb: string, area: Area, { status, code, message }: Failure) {
    const { permission, page } = AREAS[area];
    const known = code === undefined ? undefined : ADVICE[code];
    const lacksPermission = known === undefined && (status === 403 || NOT_ALLOWED_CODES.includes(code));
    const login = `The login needs the permission "${permission}": log in again (\`npm run wrangler -- login\`), or add it to the
API token at https://dash.cloudflare.com/profile/api-tokens.`;
    const general = `${known ?? "If this repeats, see https://www.cloudflarestatus.com and the dashboard."}
  https://dash.cloudflare.com/?to=/:account/${page}`;
    // Wrangler does not always say why Cloudflare refused its preview.
    const isUnexplained = area === "the files and rows" && code === undefined;
    const possible = isUnexplained ? `\nOr a permission is missing. ${login}` : "";
    const advice = lacksPermission ? login : general + possible;
    super(`${verb} ${area} failed: ${message}
${advice}
Then run the same command again: it continues where it stopped.`);
    this.code = code;
  }
}

/** Calls https://developers.cloudflare.com/api. */
export class CloudflareAPI {
  /** They authenticate requests. */
  readonly #headers: Readonly<Record<string, string>>;
  /** Wrangler has the same variable. */
  readonly #baseURL = process.env.CLOUDFLARE_API_BASE_URL || "https://api.cloudflare.com/client/v4";

  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  /** @returns the answer's `result`. @throws CloudflareError. */
  async call(method: keyof typeof VERBS, area: Area, path: string, body?: object): Promise<unknown> {
    const headers = { ...this.#headers, "content-type": "application/json" };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const request = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
    const fail = (failure: Failure) => new CloudflareError(VERBS[method], area, failure);
    const send = async () => {
      const response = await fetch(`${this.#baseURL}${path}`, request);
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await send().catch((error: unknown) => {
      throw fail({ message: errorText(error) });
    });
    const answer = answerSchema.safeParse(parseJSON(text)).data;
    if (answer?.success) return answer.result;
    const [error] = answer?.errors ?? [];
    const message = error
      ? `${status} ${error.message} [code: ${error.code}]`
      : `${status} ${text.slice(0, 200)}`;
    throw fail({ status, code: error?.code, message });
  }

  /** Like `call` with GET. @returns undefined when Cloudflare answers with the code. */
  async find(area: Area, path: string, absentCode: number): Promise<unknown> {
    return await this.call("GET", area, path).catch((error) => {
      if (!(error instanceof CloudflareError && error.code === absentCode)) throw error;
    });
  }
}
