import { isAddress } from "network-rules";
import { z } from "zod";

const MAX_ECHO_LENGTH = 4096;

const echoSchema = z.union([
  z.object({ ip: z.string() }).transform(({ ip }) => ip),
  z.object({ origin: z.string() }).transform(({ origin }) => origin),
]);

/** Parses a response of an echo service: the address alone, or a JSON object with `ip` or `origin`. */
export function readEchoedAddress(body: string): string | undefined {
  const text = body.trim();
  if (text.length > MAX_ECHO_LENGTH) return undefined;
  const address = text.startsWith("{") ? readJson(text) : text;
  return address !== undefined && isAddress(address) ? address.toLowerCase() : undefined;
}

function readJson(text: string): string | undefined {
  try {
    // Behind several proxies, httpbin's `origin` lists all; the last one is the peer of its connection.
    return echoSchema.safeParse(JSON.parse(text)).data?.split(",").at(-1)?.trim();
  } catch {
    return undefined;
  }
}
