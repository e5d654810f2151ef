import { BrowserDisk, collectBrowserState, withSecurePage } from "../../../platform/browser/index.ts";
import { encryptContent, readContent } from "../../profiles/index.ts";
import { type Checks, differs, type Finding, holds } from "../check.ts";

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
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore("texts");
    for (let index = 0; index < ${PROFILE_MEBIBYTES}; index += 1) {
      let text = "";
      while (text.length < ${MEBIBYTE}) text += Math.random().toString(36).slice(2);
      store.put(text, index);
    }
  };
  opening.onerror = reject;
  opening.onsuccess = () => resolve(opening.result.close());
})`;

export const fileChecks = {
  async files(context) {
    const { connection, contexts } = await context.open();
    const disk = new BrowserDisk(connection, contexts);
    const path = await disk.write("probe.txt", new Blob(["probe"]).stream());
    const text = await disk.read(path, (body) => new Response(body).text());
    return text === "probe" ? holds("read what was saved") : differs(`read ${text.length} other characters`);
  },

  async extensions(context) {
    const { connection, contexts } = await context.open();
    const manifest = { path: "manifest.json", read: async () => new TextEncoder().encode(MANIFEST) };
    const path = await new BrowserDisk(connection, contexts).writeTree([manifest]);
    const { id } = await connection.send("Extensions.loadUnpacked", { path });
    const { extensions } = await connection.send("Extensions.getExtensions");
    const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
    const isEnabled = extensions.some((extension) => extension.id === id && extension.enabled !== false);
    return judgeExtensions(isEnabled, flags);
  },

  /** The whole round trip of a profile, in the memory of one object. */
  async large_profile(context) {
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
  },
} satisfies Checks;

export function judgeExtensions(isEnabled: boolean, flags: readonly string[]): Finding {
  const off = flags.find((flag) => flag.startsWith("--disable-extensions"));
  if (off !== undefined) return differs(`browsers start with ${off}; only content scripts run`);
  return isEnabled ? holds("loaded and enabled") : differs("accepted, but not enabled");
}

export function judgeProfile(collected = 0, read = 0): Finding {
  if (collected < PROFILE_MEBIBYTES * MEBIBYTE) return differs(`only ${collected} characters were collected`);
  return read === collected
    ? holds(`${read} characters`)
    : differs(`${read} of ${collected} characters were read`);
}
