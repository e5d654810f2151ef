import { zoomPage } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import { addIsolatedScript } from "../connection/isolated-world.ts";
import type { Tab } from "./tab.ts";

const LEVELS = [0.25, 0.33, 0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5] as const;

interface Zoomed {
  level: number;
  scriptId: string;
}

const zoomed = new WeakMap<Tab, Zoomed>();

export function nextZoomLevel(level: number, direction: "in" | "out"): number {
  const next =
    direction === "in" ? LEVELS.find((step) => step > level) : LEVELS.findLast((step) => step < level);
  return next ?? level;
}

/** DevTools has no command for the browser's zoom. Page zoom keeps `innerWidth`. */
export async function zoomTab(tab: Tab, change: "in" | "out" | "reset"): Promise<void> {
  const before = zoomed.get(tab);
  const level = change === "reset" ? 1 : nextZoomLevel(before?.level ?? 1, change);
  const { identifier } = await addIsolatedScript(tab.session, toCall(zoomPage, level));
  zoomed.set(tab, { level, scriptId: identifier });
  if (before === undefined) return;
  await tab.session.send("Page.removeScriptToEvaluateOnNewDocument", { identifier: before.scriptId });
}
