import { resolve4, resolve6 } from "node:dns/promises";
import { Deadline } from "./deadline.ts";
import { NetworkFailedError } from "./network-error.ts";
import { isAddress } from "./private-addresses.ts";

/**
 * All addresses of a name.
 *
 * @throws NetworkFailedError `unresolved`
 */
export type ResolveName = (name: string) => Promise<string[]>;

/** Asks for the records of one kind that a name has, as `resolve4` and `resolve6` of `node:dns/promises` do. */
type Lookup = (name: string) => Promise<string[]>;

const LOOKUP_TIMEOUT_MS = 5000;

/** What only local resolvers know (RFC 6761, 6762 appendix G, 8375, 9476, and ICANN's `internal`). */
const LOCAL_DOMAINS = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "alt",
];

/** Whether a name, without the dot at its end, means something only on the network of who asks. */
export function isLocalName(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return !lowerCase.includes(".") || LOCAL_DOMAINS.some((domain) => `.${lowerCase}`.endsWith(`.${domain}`));
}

/**
 * Resolves by the platform's `node:dns`, which asks Cloudflare's resolver over HTTPS and neither a hosts file nor the
 * resolver of the network that the service is in.
 *
 * @throws NetworkFailedError `unresolved`: no such name, no address, or no answer within 5 s.
 */
export const resolveName: ResolveName = newResolveName({ lookups: [resolve4, resolve6] });

/** Resolves by other means than the platform's, or with another limit. */
export function newResolveName({
  lookups,
  longestLookupMs = LOOKUP_TIMEOUT_MS,
}: {
  lookups: readonly Lookup[];
  longestLookupMs?: number;
}): ResolveName {
  return async (name) => {
    const deadline = new Deadline(longestLookupMs);
    try {
      const answers = Promise.all(lookups.map((lookup) => addresses(lookup, name)));
      const found = (await deadline.limit(answers)).flat();
      if (found.length > 0) return found;
    } catch (cause) {
      throw unresolved(name, cause);
    } finally {
      deadline.clear();
    }
    throw unresolved(name);
  };
}

function unresolved(name: string, cause?: unknown): NetworkFailedError {
  return new NetworkFailedError("unresolved", `Could not resolve host: ${name}`, { cause });
}

/** A name may have addresses of one family only. That one cannot be asked for is no answer: fetch may get one. */
async function addresses(lookup: Lookup, name: string): Promise<string[]> {
  try {
    // The platform lists the names of a CNAME chain beside the addresses that it leads to.
    return (await lookup(name)).filter(isAddress);
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      (error.code === "ENOTFOUND" || error.code === "ENODATA")
    ) {
      return [];
    }
    throw error;
  }
}
