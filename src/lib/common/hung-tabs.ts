import { z } from "zod";
import { cut } from "./cut.ts";

/** Response header of a connection: the tabs that its client does not see, because they did not respond. */
export const HUNG_TABS_HEADER = "x-hung-tabs";

/** Clients refuse responses with long headers. */
const MAX_TABS = 10;
const MAX_URL_LENGTH = 100;

const hungTabsSchema = z.array(z.object({ id: z.string(), url: z.string() }));

export type HungTab = z.infer<typeof hungTabsSchema>[number];

export function presentHungTabs(tabs: readonly HungTab[]): string {
  const shown = tabs.slice(0, MAX_TABS).map(({ id, url }) => ({ id, url: cut(url, MAX_URL_LENGTH) }));
  return encodeURIComponent(JSON.stringify(shown).toWellFormed());
}

export function readHungTabs({ headers }: Response): HungTab[] {
  const value = headers.get(HUNG_TABS_HEADER);
  return value === null ? [] : hungTabsSchema.parse(JSON.parse(decodeURIComponent(value)));
}
