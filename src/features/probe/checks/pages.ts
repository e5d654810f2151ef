import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import {
  attachSession,
  authenticate,
  type CDPSession,
  type HelperPage,
  ProtocolError,
  Screencast,
  withHelperPage,
  withSecurePage,
} from "../../../platform/browser/index.ts";
import { encodeVideo } from "../../../platform/page-scripts/bundled.js";
import { readEchoedAddress } from "../../proxies/index.ts";
import { type Checks, differs, type Finding, holds, untried } from "../check.ts";

const SCREENCAST_MS = 2000;
const FIRST_CHANGE_TIMEOUT_MS = 10_000;
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

export const pageChecks = {
  async context_proxy(context) {
    if (context.options.proxy === undefined) return untried("needs a proxy");
    const { connection } = await context.open();
    const { protocol, host, username, password } = new URL(context.options.proxy);
    const server = `${protocol}//${host}`;
    const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const url = readSettings(context.env).proxies.checkURL;
    const visit = async (proxyServer?: string) => {
      const { browserContextId } = await connection.send("Target.createBrowserContext", { proxyServer });
      if (proxyServer !== undefined && username !== "")
        await authenticate(connection, { server, bypassHosts: [], credentials }, browserContextId);
      return withHelperPage(connection, ({ session }) => readAddress(session, url), browserContextId);
    };
    return judgeProxy(await visit(server), await visit());
  },

  async screencast(context) {
    const { connection } = await context.open();
    const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
    const session = await attachSession(connection, targetId);
    await session.send("Runtime.evaluate", { expression: CHANGE_PAGE });
    let frames = 0;
    const startedAt = Date.now();
    await Screencast.start(session, {
      format: { format: "jpeg", quality: 60 },
      onFrame: (_, acknowledge) => {
        frames += 1;
        acknowledge();
      },
    });
    do await pause(SCREENCAST_MS);
    while (frames < 2 && Date.now() - startedAt < FIRST_CHANGE_TIMEOUT_MS);
    return judgeScreencast(frames, Date.now() - startedAt);
  },

  async video_encoding(context) {
    const { connection, contexts } = await context.open();
    const encode = async (page: HelperPage) => {
      const encoder = await page.create(encodeVideo, VIDEO_SIZE).catch((error: Error) => error);
      if (encoder instanceof ProtocolError) throw encoder;
      if (encoder instanceof Error) return differs(encoder.message);
      await encoder.call("draw", 0, undefined, VIDEO_SIZE.width, undefined);
      const { codec, samples } = await encoder.call("take");
      return samples.length > 0 ? holds(codec) : differs(`${codec} gave no picture`);
    };
    return contexts.with((id) => withSecurePage(connection, encode, id));
  },
} satisfies Checks;

/** Returns no address if the page does not show one in time. */
async function readAddress(session: CDPSession, url: string): Promise<Visit> {
  const { errorText } = (await resolveWithin(session.send("Page.navigate", { url }), PAGE_TIMEOUT_MS)) ?? {};
  if (errorText !== undefined) return { errorText };
  const reading = session.send("Runtime.evaluate", { expression: READ_TEXT, awaitPromise: true });
  const read = await resolveWithin(reading, PAGE_TIMEOUT_MS);
  return { address: readEchoedAddress(String(read?.result.value)) };
}

/** The proxy is known to work, because the operator gave it. */
export function judgeProxy(through: Visit, direct: Visit): Finding {
  const error = through.errorText?.replace("net::", "");
  if (error !== undefined) return error.endsWith("TIMED_OUT") ? untried(error) : differs(error);
  if (through.address === undefined) return untried("the page at PROXY_CHECK_URL shows no address");
  if (through.address === direct.address)
    return differs(`the exit address is ${direct.address} with and without it`);
  return holds(
    `the exit address is ${through.address}, and ${direct.address ?? "unknown"} without the proxy`,
  );
}

/** A page sends one picture when a screencast starts, even if it sends no changes. */
export function judgeScreencast(frames: number, durationMs: number): Finding {
  const rate = Math.round((frames * 1000) / durationMs);
  if (frames < 2) return differs(`${frames} pictures in ${durationMs / 1000} s`);
  return holds(`${rate} pictures a second`, { pictures_per_second: rate });
}
