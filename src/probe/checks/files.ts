import { BrowserDisk, collectBrowserState, withSecurePage } from "../../browser/index.ts";
import { encryptContent, readContent } from "../../profiles/index.ts";
import { differs, type Finding, holds } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const MEBIBYTE = 1024 * 1024;
const PROFILE_MEBIBYTES = 22;
const PROFILE_TIMEOUT_MS = 60_000;
const PROFILE_KEY = "probe/profile";

/** The origin of secure helper pages. */
const ORIGIN = "https://helper.invalid";

const MANIFEST = `{ "manifest_version": 3, "name": "Berth probe", "version": "1" }`;

/** Random text, which does not compress to nothing. */
const FILL_DATABASE = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("probe");
  opening.onupgradeneeded = () => opening.result.createObjectStore("texts");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const writing = opening.result.transaction("texts", "readwrite");
    for (let index = 0; index < ${PROFILE_MEBIBYTES}; index += 1) {
      let text = "";
      while (text.length < ${MEBIBYTE}) text += Math.random().toString(36).slice(2);
      writing.objectStore("texts").put(text, index);
    }
    writing.oncomplete = () => { opening.result.close(); resolve(); };
  };
})`;

const saveFile = (disk: BrowserDisk) => disk.write("probe.txt", new Blob(["probe"]).stream());

export async function tryDownloads(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const path = await saveFile(new BrowserDisk(connection, contexts));
  return holds(`saved as ${path.split("/").at(-1)}`);
}

export async function tryUploads(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const disk = new BrowserDisk(connection, contexts);
  const text = await disk.read(await saveFile(disk), (body) => new Response(body).text());
  return text === "probe" ? holds("read what was saved") : differs(`read ${text.length} other characters`);
}

export async function tryExtensions(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const manifest = { path: "manifest.json", read: async () => new TextEncoder().encode(MANIFEST) };
  const path = await new BrowserDisk(connection, contexts).writeTree([manifest]);
  const { id } = await connection.send("Extensions.loadUnpacked", { path });
  const { extensions } = await connection.send("Extensions.getExtensions");
  const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
  return judgeExtensions(
    extensions.some((extension) => extension.id === id && extension.enabled !== false),
    flags,
  );
}

export function judgeExtensions(isEnabled: boolean, flags: readonly string[]): Finding {
  const off = flags.find((flag) => flag.startsWith("--disable-extensions"));
  if (off !== undefined) return differs(`browsers start with ${off}; only content scripts run`);
  return isEnabled ? holds("loaded and enabled") : differs("accepted, but not enabled");
}

/** The whole way of a profile, in the memory of one object. */
export async function tryLargeProfile(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const { env, cost } = context;
  const fill = { expression: FILL_DATABASE, awaitPromise: true };
  const state = await contexts.with(async (browserContextId) => {
    await withSecurePage(
      connection,
      ({ session }) => session.send("Runtime.evaluate", fill),
      browserContextId,
    );
    const scope = { browserContextId, origins: [ORIGIN], timeLimitMs: PROFILE_TIMEOUT_MS };
    return collectBrowserState(connection, scope);
  });
  cost.r2_writes += 1;
  cost.r2_reads += 1;
  try {
    await env.FILES.put(PROFILE_KEY, await encryptContent(env, PROFILE_KEY, state));
    const stored = await (await env.FILES.get(PROFILE_KEY))?.bytes();
    const read = await readContent(env, PROFILE_KEY, stored ?? new Uint8Array());
    return judgeProfile(state.origins[0]?.storage.length, read.origins[0]?.storage.length);
  } finally {
    await env.FILES.delete(PROFILE_KEY);
  }
}

export function judgeProfile(collected = 0, read = 0): Finding {
  if (collected < PROFILE_MEBIBYTES * MEBIBYTE) return differs(`only ${collected} characters were collected`);
  return read === collected
    ? holds(`${read} characters`)
    : differs(`${read} of ${collected} characters were read`);
}
