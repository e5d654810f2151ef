import { GunzipError, gunzip } from "durable-machine/gunzip";
import { z } from "zod/mini";
import { parseJSON } from "../../../../lib/common/parse-json.ts";

const MAX_UNPACKED_BYTES = 48 * 1024 * 1024;

/** Strongest first. */
const ALGORITHMS = { sha512: "SHA-512", sha384: "SHA-384", sha256: "SHA-256", sha1: "SHA-1" } as const;

const distSchema = z.object({
  tarball: z.string(),
  integrity: z.optional(z.string()),
  shasum: z.optional(z.string()),
});

const metadataSchema = z.object({ versions: z.record(z.string(), z.unknown()) });
const versionSchema = z.object({ dist: distSchema });

type Dist = z.infer<typeof distSchema>;

/** Verifies the checksum of each tarball against the registry's metadata, and its unpacked size. */
export function newCheckedFetch(send: typeof fetch): typeof fetch {
  const files = new Map<string, Dist>();
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await send(request);
    if (!response.ok) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const dist = files.get(request.url);
    if (dist !== undefined) {
      await requireIntegrity(bytes, dist);
      await requireUnpackable(bytes);
    } else {
      if (isGzip(bytes)) throw new Error("The registry does not list this tarball");
      for (const listed of readFiles(bytes)) files.set(new URL(listed.tarball).href, listed);
    }
    return new Response(bytes, response);
  };
}

function readFiles(bytes: Uint8Array): Dist[] {
  const parsed = metadataSchema.safeParse(parseJSON(new TextDecoder().decode(bytes)));
  return Object.values(parsed.data?.versions ?? {}).flatMap((version) => {
    const { data } = versionSchema.safeParse(version);
    return data !== undefined && URL.canParse(data.dist.tarball) ? [data.dist] : [];
  });
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

async function requireIntegrity(bytes: Uint8Array<ArrayBuffer>, dist: Dist): Promise<void> {
  const expected = strongestHash(dist);
  if (expected === undefined) throw new Error("The registry lists no checksum of the tarball");
  const digest = new Uint8Array(await crypto.subtle.digest(ALGORITHMS[expected.algorithm], bytes));
  if (digest.toBase64() !== expected.digest) {
    throw new Error("The checksum of the tarball differs from the registry's");
  }
}

function strongestHash({ integrity = "", shasum }: Dist) {
  const hashes = integrity.split(/\s+/).map((hash) => /^(sha\d+)-([^?]+)/.exec(hash));
  for (const algorithm of ["sha512", "sha384", "sha256", "sha1"] as const) {
    const digest = hashes.find((hash) => hash?.[1] === algorithm)?.[2];
    if (digest !== undefined) return { algorithm, digest };
  }
  if (shasum === undefined) return undefined;
  return { algorithm: "sha1", digest: Uint8Array.fromHex(shasum).toBase64() } as const;
}

async function requireUnpackable(bytes: Uint8Array): Promise<void> {
  try {
    for await (const _ of gunzip([bytes], MAX_UNPACKED_BYTES));
  } catch (cause) {
    if (!(cause instanceof GunzipError) || cause.reason !== "too_large") throw cause;
    throw new Error(`The package unpacks to more than ${MAX_UNPACKED_BYTES} bytes`, { cause });
  }
}
