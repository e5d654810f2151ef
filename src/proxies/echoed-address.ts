import { z } from "zod";
import { isAddress } from "../network/private-addresses.ts";

/** Longer is no answer of a service that tells addresses. */
const MAX_ANSWER_LENGTH = 4096;

const echoSchema = z.union([
  z.object({ ip: z.string() }).transform(({ ip }) => ip),
  z.object({ origin: z.string() }).transform(({ origin }) => origin),
]);

/** The address that an echo service says: alone, or as `ip` or `origin` of a JSON object. */
export function readEchoedAddress(body: string): string | undefined {
  const text = body.trim();
  if (text.length > MAX_ANSWER_LENGTH) return undefined;
  const address = text.startsWith("{") ? readJson(text) : text;
  return address !== undefined && isAddress(address) ? address.toLowerCase() : undefined;
}

function readJson(text: string): string | undefined {
  try {
    // Behind several proxies httpbin's `origin` lists all; the one that came last is what it saw itself.
    return echoSchema.safeParse(JSON.parse(text)).data?.split(",").at(-1)?.trim();
  } catch {
    return undefined;
  }
}
