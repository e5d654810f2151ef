import { guardWebRtc } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import type { AttachedTargets } from "../connection/attached-targets.ts";
import type { CDPSession } from "../connection/puppeteer.ts";

/** Keeps WebRTC from bypassing the proxy. @param onUnreachable called when a page could not be loaded. */
export async function guardProxy(
  session: CDPSession,
  targets: AttachedTargets,
  onUnreachable: () => void,
): Promise<void> {
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.unreachableUrl !== undefined) onUnreachable();
  });
  await Promise.all([
    targets.attachBelow(session, ["iframe"]),
    session.send("Page.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: toCall(guardWebRtc),
      runImmediately: true,
    }),
  ]);
}
