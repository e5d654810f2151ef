import {
  attachSession,
  BrowserDisk,
  type CDPSession,
  collectBrowserState,
  Screencast,
  withHelperPage,
  withSecurePage,
} from "../../browser/index.ts";
import { pause, resolveWithin } from "../../common/concurrency.ts";
import { readSettings } from "../../common/settings.ts";
import { encodeVideo } from "../../page-scripts/bundled.js";
import { encryptContent, readContent } from "../../profiles/index.ts";
import { readEchoedAddress } from "../../proxies/index.ts";
import { type Check, differs, type Finding, holds, untried } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const MEBIBYTE = 1024 * 1024;
const MESSAGE_MEBIBYTES = [1, 4, 16, 31];
const PROFILE_MEBIBYTES = 22;
const SCREENCAST_MS = 2000;
const PAGE_TIMEOUT_MS = 20_000;

/** The origin of secure helper pages. */
const HELPER_ORIGIN = "https://helper.invalid";

const PROFILE_KEY = "probe/profile";

const READ_TEXT = `new Promise((resolve) => {
  const read = () => resolve(document.body?.innerText);
  if (document.readyState === "complete") read(); else addEventListener("load", read);
})`;

const MANIFEST = `{ "manifest_version": 3, "name": "Berth probe", "version": "1" }`;

export const pageChecks: Check[] = [
  { name: "context_proxy", limitMs: 90_000, run: tryContextProxy },
  { name: "downloads", limitMs: 90_000, run: tryDownloads },
  { name: "uploads", limitMs: 90_000, run: tryUploads },
  { name: "extensions", limitMs: 90_000, run: tryExtensions },
  { name: "large_messages", limitMs: 120_000, run: tryLargeMessages },
  { name: "screencast", limitMs: 60_000, run: tryScreencast },
  { name: "video_encoding", limitMs: 60_000, run: tryVideoEncoding },
  { name: "large_profile", limitMs: 120_000, looksForRestart: true, run: tryLargeProfile },
];

interface Visit {
  errorText: string | undefined;
  address: string | undefined;
}

async function tryContextProxy(context: ProbeContext): Promise<Finding> {
  const { proxy } = context.options;
  if (proxy === undefined) return untried("needs a proxy");
  const { connection } = await context.open();
  const { protocol, host, username, password } = new URL(proxy);
  const credentials = {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  const visit = async (proxyServer: string | undefined): Promise<Visit> => {
    const { browserContextId } = await connection.send("Target.createBrowserContext", {
      ...(proxyServer && { proxyServer, proxyBypassList: "<-loopback>" }),
    });
    const url = readSettings(context.env).proxies.checkURL;
    return withHelperPage(
      connection,
      ({ session }) => readAddress(session, url, credentials),
      browserContextId,
    );
  };
  return judgeProxy(await visit(`${protocol}//${host}`), await visit(undefined));
}

async function readAddress(
  session: CDPSession,
  url: string,
  credentials: { username: string; password: string },
): Promise<Visit> {
  session.on("Fetch.authRequired", ({ requestId }) => {
    const authChallengeResponse = { response: "ProvideCredentials", ...credentials } as const;
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined);
  });
  session.on("Fetch.requestPaused", ({ requestId }) => {
    session.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
  });
  await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  const navigated = await resolveWithin(session.send("Page.navigate", { url }), PAGE_TIMEOUT_MS);
  if (navigated === undefined) return { errorText: "no answer", address: undefined };
  const reading = session.send("Runtime.evaluate", { expression: READ_TEXT, awaitPromise: true });
  const { result } = (await resolveWithin(reading, PAGE_TIMEOUT_MS)) ?? { result: { value: "" } };
  return { errorText: navigated.errorText, address: readEchoedAddress(String(result.value)) };
}

/** The proxy itself is known to work, because the caller gave it. */
export function judgeProxy(through: Visit, direct: Visit): Finding {
  if (through.errorText !== undefined) return differs(through.errorText.replace("net::", ""));
  if (through.address === undefined) return untried("the address at PROXY_CHECK_URL could not be read");
  if (through.address === direct.address)
    return differs(`the exit address is ${direct.address} with and without it`);
  return holds(
    `the exit address is ${through.address}, not ${direct.address ?? "known"} as without the proxy`,
  );
}

async function tryDownloads(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  return holds(`saved as ${(await saveFile(new BrowserDisk(connection, contexts))).split("/").at(-1)}`);
}

async function tryUploads(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const disk = new BrowserDisk(connection, contexts);
  const path = await saveFile(disk);
  const text = await disk.read(path, (body) => new Response(body).text());
  return text === "probe" ? holds("read what was saved") : differs(`read ${text.length} other characters`);
}

const saveFile = (disk: BrowserDisk) => disk.write("probe.txt", new Blob(["probe"]).stream());

async function tryExtensions(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const manifest = { path: "manifest.json", read: async () => new TextEncoder().encode(MANIFEST) };
  const path = await new BrowserDisk(connection, contexts).writeTree([manifest]);
  const { id } = await connection.send("Extensions.loadUnpacked", { path });
  const { extensions } = await connection.send("Extensions.getExtensions");
  const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
  const isRunning = extensions.some((extension) => extension.id === id && extension.enabled !== false);
  return judgeExtensions({ isRunning, flags });
}

export function judgeExtensions({
  isRunning,
  flags,
}: {
  isRunning: boolean;
  flags: readonly string[];
}): Finding {
  const off = flags.find((flag) => flag.startsWith("--disable-extensions"));
  if (off !== undefined) return differs(`the browser runs with ${off}; only content scripts run`);
  return isRunning ? holds("loaded and enabled") : differs("accepted, but not enabled");
}

async function tryLargeMessages(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const details: Record<string, number> = {};
  return withHelperPage(connection, async ({ session }) => {
    for (const size of MESSAGE_MEBIBYTES) {
      const length = size * MEBIBYTE - 1024;
      const startedAt = Date.now();
      const up = { expression: `"${"x".repeat(length)}".length` };
      const down = { expression: `"x".repeat(${length})`, returnByValue: true };
      for (const [direction, params] of Object.entries({ up, down })) {
        const answer = await session.send("Runtime.evaluate", params).catch(() => undefined);
        const { value } = answer?.result ?? {};
        if ((direction === "up" ? value : String(value).length) !== length)
          return differs(`${size} MiB ${direction} got no answer`, details);
      }
      details[`${size}_mib_ms`] = Date.now() - startedAt;
    }
    return holds(`${MESSAGE_MEBIBYTES.at(-1)} MiB both ways in ${details["31_mib_ms"]} ms`, details);
  });
}

async function tryScreencast(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const session = await attachSession(connection, targetId);
  const expression = `setInterval(() => { document.body.style.background = "hsl(" + (performance.now() % 360) + " 90% 50%)" }, 10)`;
  await session.send("Runtime.evaluate", { expression });
  let frames = 0;
  let bytes = 0;
  const screencast = await Screencast.start(session, { format: "jpeg", quality: 60 }, ({ data }, next) => {
    frames += 1;
    bytes += data.length;
    next();
  });
  await pause(SCREENCAST_MS);
  await screencast.stop();
  return judgeScreencast(frames, bytes);
}

export function judgeScreencast(frames: number, bytes: number): Finding {
  const rate = Math.round((frames * 1000) / SCREENCAST_MS);
  // A page sends one picture when a screencast starts, even if it sends no changes.
  if (frames < 2) return differs(`${frames} pictures in ${SCREENCAST_MS / 1000} s`);
  return holds(`${rate} pictures a second`, {
    frames_per_second: rate,
    bytes_per_frame: Math.round(bytes / frames),
  });
}

async function tryVideoEncoding(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  return contexts.with((id) =>
    withSecurePage(
      connection,
      async (page) => {
        const created = page.create(encodeVideo, { width: 1280, height: 720, framerate: 10 });
        const encoder = await created.catch((error: Error) => error);
        if (encoder instanceof Error) return differs(encoder.message);
        await encoder.call("draw", 0, undefined, 1280, undefined);
        const { codec, samples } = await encoder.call("take");
        return samples.length > 0 ? holds(codec) : differs(`${codec} gave no picture`);
      },
      id,
    ),
  );
}

/** The whole way of a profile, in the memory of one object. */
async function tryLargeProfile(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  const { FILES } = context.env;
  return contexts.with(async (browserContextId) => {
    await withSecurePage(
      connection,
      ({ session }) => session.send("Runtime.evaluate", FILL_DATABASE),
      browserContextId,
    );
    const scope = { browserContextId, origins: [HELPER_ORIGIN], timeLimitMs: PAGE_TIMEOUT_MS };
    const state = await collectBrowserState(connection, scope);
    const content = await encryptContent(context.env, PROFILE_KEY, state);
    context.cost.r2Writes += 1;
    context.cost.r2Reads += 1;
    try {
      await FILES.put(PROFILE_KEY, content);
      const stored = await FILES.get(PROFILE_KEY);
      const read = await readContent(context.env, PROFILE_KEY, (await stored?.bytes()) ?? new Uint8Array());
      return judgeProfile(state.origins[0]?.storage.length, read.origins[0]?.storage.length);
    } finally {
      await FILES.delete(PROFILE_KEY);
    }
  });
}

export function judgeProfile(collected = 0, read = 0): Finding {
  if (collected < PROFILE_MEBIBYTES * MEBIBYTE) return differs(`only ${collected} characters were collected`);
  return collected === read
    ? holds(`${Math.floor(collected / MEBIBYTE)} MiB collected, stored and read`)
    : differs(`${collected} characters were stored, ${read} were read`);
}

/** Random text, which does not compress to nothing. */
const FILL_DATABASE = {
  awaitPromise: true,
  expression: `new Promise((resolve, reject) => {
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
      writing.onerror = reject;
    };
  })`,
};
