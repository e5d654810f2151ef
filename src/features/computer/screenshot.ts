import { pause } from "../../lib/common/concurrency.ts";
import { ProtocolError, type RemoteBrowser, type Tab, type Viewport } from "../../platform/browser/index.ts";
import { drawPicture } from "../../platform/page-scripts/bundled.js";
import type { Drawing, Rectangle } from "../../platform/page-scripts/drawing.ts";
import { drawingOfDialog } from "./dialog-box.ts";
import { InvalidInputError, PageUnresponsiveError } from "./errors.ts";

const PAINT_TIMEOUT_MS = 5000;

/** A capture fails while the page navigates, so it is repeated. */
const CAPTURE_ATTEMPTS = 3;
const ATTEMPT_PAUSE_MS = 100;

/**
 * Captures a PNG of a tab or of a region. A page that is blocked by a dialog or a script is shown as last
 * painted, with its dialog.
 *
 * @throws PageUnresponsiveError
 */
export async function captureScreenshot(
  browser: RemoteBrowser,
  tab: Tab,
  { viewport, region }: { viewport: Viewport; region?: Rectangle },
): Promise<Uint8Array> {
  const painted = tab.dialog === undefined ? await capturePainted(tab, region) : undefined;
  if (painted !== undefined) return Uint8Array.fromBase64(painted);
  const picture = await browser.captureLastPicture(tab);
  if (picture === undefined) throw new PageUnresponsiveError("The page shows nothing that could be captured");
  const { dialog } = tab;
  if (dialog === undefined && region === undefined) return Uint8Array.fromBase64(picture);
  const drawing: Drawing = {
    picture,
    region: region ?? { x: 0, y: 0, width: viewport.width, height: viewport.height },
    dialog: dialog === undefined ? undefined : drawingOfDialog(dialog, viewport.width),
  };
  const drawn = await browser.withHelperPage((page) => page.call(drawPicture, drawing));
  return Uint8Array.fromBase64(drawn);
}

async function capturePainted(tab: Tab, region: Rectangle | undefined): Promise<string | undefined> {
  for (let attempt = 1; attempt <= CAPTURE_ATTEMPTS; attempt += 1) {
    try {
      const outcome = await tab.waitFor(capture(tab, region), PAINT_TIMEOUT_MS);
      return typeof outcome === "string" ? undefined : outcome.value.data;
    } catch (error) {
      if (tab.hasCrashed) throw new PageUnresponsiveError("The page has crashed; reload it");
      if (!(error instanceof ProtocolError)) throw error;
      await pause(ATTEMPT_PAUSE_MS);
    }
  }
  return undefined;
}

async function capture({ session }: Tab, region: Rectangle | undefined): Promise<{ data: string }> {
  if (region === undefined) return session.send("Page.captureScreenshot", { format: "png" });
  // Clips are relative to the document, which may be scrolled.
  const { cssVisualViewport } = await session.send("Page.getLayoutMetrics");
  const { pageX, pageY } = cssVisualViewport;
  const clip = { ...region, x: region.x + pageX, y: region.y + pageY, scale: 1 };
  return session.send("Page.captureScreenshot", { format: "png", clip });
}

/** @throws InvalidInputError when the region exceeds the viewport. */
export function checkRegion({ x, y, width, height }: Rectangle, viewport: Viewport): void {
  if (x + width <= viewport.width && y + height <= viewport.height) return;
  throw new InvalidInputError("region", `must lie within the viewport, ${viewport.width}x${viewport.height}`);
}
