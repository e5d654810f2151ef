import { z } from "zod";
import { cut } from "../../../lib/common/cut.ts";
import { DecryptionError } from "../../../lib/common/encryption.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import type { OTLPDestinationRow } from "../../../lib/database/schema/telemetry.ts";
import { deliveryRules } from "../../../platform/network/delivery-address.ts";
import { type GuardedResponse, newGuardedFetch } from "../../../platform/network/guarded-fetch.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../../platform/network/network-error.ts";
import { outgoingFetch } from "../../../platform/network/outgoing-fetch.ts";
import { readHeaders } from "./headers.ts";
import { encodeRecord, encodeRequest, wrapRecords } from "./log-records.ts";

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 200;

/** As the OTLP specification lists them. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

export interface SendResult {
  /** Absent if the receiver did not answer. */
  status?: number;
  /** Absent if the receiver took all records. */
  failure?: string;
  /** Records that the receiver refused, although it took others. */
  rejected?: number;
  isRetryable?: boolean;
  retryAfterMs?: number;
}

/** `message` is in a refusal, `partialSuccess` in a success. 64-bit integers may be strings. */
const answerSchema = z.object({
  message: z.string().optional(),
  partialSuccess: z
    .object({
      rejectedLogRecords: z.coerce.number().int().min(0).default(0),
      errorMessage: z.string().default(""),
    })
    .nullish(),
});

/** Sends a request once. A failure of the receiver is a result. */
export async function sendLogs(env: Env, row: OTLPDestinationRow, body: Uint8Array): Promise<SendResult> {
  try {
    const headers = await readHeaders(env, row);
    const url = `${row.endpoint}/v1/logs`;
    const guardedFetch = newGuardedFetch({
      ...deliveryRules(env),
      fetch: outgoingFetch(env, readSettings(env)),
      maxRedirects: 0,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
    const response = await guardedFetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-encoding": "gzip" },
      body,
      followRedirects: false,
    });
    return readAnswer(response, Object.values(headers));
  } catch (error) {
    if (error instanceof NetworkFailedError)
      return { failure: error.message, isRetryable: error.reason !== "response_too_large" };
    if (error instanceof NetworkRefusedError || error instanceof DecryptionError)
      return { failure: error.message };
    throw error;
  }
}

/** Sends one record once. */
export async function sendTestRecord(env: Env, row: OTLPDestinationRow): Promise<SendResult> {
  const now = Date.now();
  const source = { kind: "kernel_api" } as const;
  const event = { category: "monitor", type: "export_test", ts: now * 1000, source } as const;
  const frame = wrapRecords({ "service.name": "berth" });
  return sendLogs(env, row, await encodeRequest(frame, [encodeRecord({ seq: 0, event }, now)]));
}

function readAnswer({ status, headers, body }: GuardedResponse, secrets: string[]): SendResult {
  const { message = "", partialSuccess } = parseAnswer(body);
  if (status >= 200 && status < 300) {
    const { rejectedLogRecords: rejected = 0, errorMessage = "" } = partialSuccess ?? {};
    if (rejected === 0 && errorMessage === "") return { status };
    const text = quote(errorMessage, secrets);
    return { status, rejected, failure: `The receiver rejected ${rejected} records${text}` };
  }
  return {
    status,
    failure: `HTTP ${status}${quote(message, secrets)}`,
    isRetryable: RETRYABLE_STATUSES.has(status),
    retryAfterMs: parseRetryAfter(headers.get("retry-after")),
  };
}

function parseAnswer(body: Uint8Array): z.infer<typeof answerSchema> {
  try {
    return answerSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return {};
  }
}

/** A receiver may repeat the headers of a request, or a key without its scheme. */
function quote(text: string, secrets: string[]): string {
  const words = secrets
    .flatMap((secret) => [secret, ...secret.split(" ")])
    .filter(({ length }) => length > 3);
  const safe = words.reduce((result, word) => result.replaceAll(word, "…"), text);
  return text === "" ? "" : `: ${cut(safe, MAX_MESSAGE_LENGTH).toWellFormed()}`;
}

/** @param value seconds or a date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
