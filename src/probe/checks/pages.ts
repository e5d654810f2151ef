import {
  attachSession,
  type CDPSession,
  Screencast,
  withHelperPage,
  withSecurePage,
} from "../../browser/index.ts";
import { pause, resolveWithin } from "../../common/concurrency.ts";
import { readSettings } from "../../common/settings.ts";
import { encodeVideo } from "../../page-scripts/bundled.js";
import { readEchoedAddress } from "../../proxies/index.ts";
import { differs, type Finding, holds, textOf, untried } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const MESSAGE_MEBIBYTES = [1, 4, 16, 31];
const MEBIBYTE = 1024 * 1024;
/** The frame around a message counts, too. */
const FRAME_BYTES = 1024;

const SCREENCAST_MS = 2000;
const PAGE_TIMEOUT_MS = 20_000;
const VIDEO_SIZE = { width: 1280, height: 720, framerate: 10 };

const READ_TEXT = `new Promise((resolve) => {
  const read = () => resolve(document.body?.innerText);
  if (document.readyState === "complete") read(); else addEventListener("load", read);
})`;

const CHANGE_PAGE = `setInterval(() => { document.body.style.background = "hsl(" + performance.now() % 360 + " 90% 50%)" }, 10)`;

interface Visit {
  errorText?: string;
  address?: string;
}

export async function tryContextProxy(context: ProbeContext): Promise<Finding> {
  const { env, options } = context;
  if (options.proxy === undefined) return untried("needs a proxy");
  const { connection } = await context.open();
  const proxy = new URL(options.proxy);
  const visit = async (parameters: object) => {
    const { browserContextId } = await connection.send("Target.createBrowserContext", parameters);
    const url = readSettings(env).proxies.checkURL;
    return withHelperPage(connection, ({ session }) => readAddress(session, url, proxy), browserContextId);
  };
  return judgeProxy(await visit({ proxyServer: `${proxy.protocol}//${proxy.host}` }), await visit({}));
}

async function readAddress(session: CDPSession, url: string, { username, password }: URL): Promise<Visit> {
  const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === "Proxy"
        ? ({ response: "ProvideCredentials", ...credentials } as const)
        : ({ response: "CancelAuth" } as const);
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined);
  });
  session.on("Fetch.requestPaused", ({ requestId }) => {
    session.send("Fetch.continueRequest", { requestId }).catch(() => undefined);
  });
  await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  const { errorText } = (await resolveWithin(session.send("Page.navigate", { url }), PAGE_TIMEOUT_MS)) ?? {};
  if (errorText !== undefined) return { errorText };
  const reading = session.send("Runtime.evaluate", { expression: READ_TEXT, awaitPromise: true });
  const read = await resolveWithin(reading, PAGE_TIMEOUT_MS);
  return { address: readEchoedAddress(String(read?.result.value)) };
}

/** The proxy is known to work, because the operator gave it. */
export function judgeProxy(through: Visit, direct: Visit): Finding {
  if (through.errorText !== undefined) return differs(through.errorText.replace("net::", ""));
  if (through.address === undefined) return untried("the page at PROXY_CHECK_URL shows no address");
  if (through.address === direct.address)
    return differs(`the exit address is ${direct.address} with and without it`);
  return holds(
    `the exit address is ${through.address}, and ${direct.address ?? "unknown"} without the proxy`,
  );
}

export async function tryLargeMessages(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const details: Record<string, number> = {};
  return withHelperPage(connection, async ({ session }) => {
    for (const size of MESSAGE_MEBIBYTES) {
      const length = size * MEBIBYTE - FRAME_BYTES;
      const startedAt = Date.now();
      try {
        await session.send("Runtime.evaluate", { expression: `"${"x".repeat(length)}".length` });
        const down = { expression: `"x".repeat(${length})`, returnByValue: true };
        const { result } = await session.send("Runtime.evaluate", down);
        if (String(result.value).length !== length) throw new Error("it was changed");
      } catch (error) {
        return differs(`a message of ${size} MiB: ${textOf(error)}`, details);
      }
      details[`${size}_mib_ms`] = Date.now() - startedAt;
    }
    return holds(`31 MiB both ways in ${details["31_mib_ms"]} ms`, details);
  });
}

export async function tryScreencast(context: ProbeContext): Promise<Finding> {
  const { connection } = await context.open();
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const session = await attachSession(connection, targetId);
  await session.send("Runtime.evaluate", { expression: CHANGE_PAGE });
  let frames = 0;
  const screencast = await Screencast.start(session, { format: "jpeg", quality: 60 }, (_, acknowledge) => {
    frames += 1;
    acknowledge();
  });
  await pause(SCREENCAST_MS);
  await screencast.stop();
  return judgeScreencast(frames);
}

/** A page sends one picture when a screencast starts, even if it sends no changes. */
export function judgeScreencast(frames: number): Finding {
  const rate = Math.round((frames * 1000) / SCREENCAST_MS);
  if (frames < 2) return differs(`${frames} pictures in ${SCREENCAST_MS / 1000} s`);
  return holds(`${rate} pictures a second`, { pictures_per_second: rate });
}

export async function tryVideoEncoding(context: ProbeContext): Promise<Finding> {
  const { connection, contexts } = await context.open();
  return contexts.with((id) =>
    withSecurePage(
      connection,
      async (page) => {
        const encoder = await page.create(encodeVideo, VIDEO_SIZE).catch((error: Error) => error);
        if (encoder instanceof Error) return differs(encoder.message);
        await encoder.call("draw", 0, undefined, VIDEO_SIZE.width, undefined);
        const { codec, samples } = await encoder.call("take");
        return samples.length > 0 ? holds(codec) : differs(`${codec} gave no picture`);
      },
      id,
    ),
  );
}
