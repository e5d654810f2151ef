import { resolve4, resolve6 } from "node:dns/promises";
import { isAddress } from "network-rules";
import { Deadline } from "./deadline.ts";
import { NetworkFailedError } from "./network-error.ts";

/** @throws NetworkFailedError `unresolved` */
export type ResolveName = (name: string) => Promise<string[]>;

type Lookup = (name: string) => Promise<string[]>;

const LOOKUP_TIMEOUT_MS = 5000;

/** Known to local resolvers only: RFC 6761, 6762 appendix G, 8375, 9476, and ICANN's `internal`. */
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

export function isLocalName(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return !lowerCase.includes(".") || LOCAL_DOMAINS.some((domain) => `.${lowerCase}`.endsWith(`.${domain}`));
}

/** The platform's `node:dns` uses Cloudflare's resolver over HTTPS, not a hosts file or local resolver. */
export const resolveName: ResolveName = newResolveName({ lookups: [resolve4, resolve6] });

export function newResolveName({
  lookups,
  timeoutMs = LOOKUP_TIMEOUT_MS,
}: {
  lookups: readonly Lookup[];
  timeoutMs?: number;
}): ResolveName {
  return async (name) => {
    const deadline = new Deadline(timeoutMs);
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

/** A name may have no addresses of one family. Other errors fail, as fetch might still get an address. */
async function addresses(lookup: Lookup, name: string): Promise<string[]> {
  try {
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
