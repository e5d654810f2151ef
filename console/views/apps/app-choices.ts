import { api, readPage, type Schemas } from "../../api/client.ts";

export type App = Schemas["App"];

/** All apps that can be invoked. */
export async function loadApps(signal: AbortSignal): Promise<App[]> {
  const apps: App[] = [];
  for (let hasMore = true; hasMore; ) {
    const query = { limit: 100, offset: apps.length };
    const page = await readPage(api.GET("/apps", { params: { query }, signal }));
    apps.push(...page.items);
    hasMore = page.hasMore && page.items.length > 0;
  }
  return apps;
}

/** What an invocation runs. Absent parts are not chosen. */
export type Target = { [part in "app" | "version" | "action"]?: string | undefined };

/** The apps, and the versions and actions that fit to what is chosen. */
export function choicesFor(apps: readonly App[], { app, version }: Target): Record<keyof Target, string[]> {
  const ofApp = apps.filter(({ app_name }) => app === undefined || app_name === app);
  const ofVersion = ofApp.filter((each) => version === undefined || each.version === version);
  return {
    app: unique(apps.map(({ app_name }) => app_name)),
    version: unique(ofApp.map(({ version }) => version)),
    action: unique(ofVersion.flatMap(({ actions }) => actions.map(({ name }) => name))),
  };
}

/** Replaces each part that is not deployed by the first choice. */
export function completeTarget(apps: readonly App[], target: Target): Required<Record<keyof Target, string>> {
  const complete = { app: "", version: "", action: "" };
  const before: Target = {};
  for (const part of ["app", "version", "action"] as const) {
    const choices = choicesFor(apps, before)[part];
    complete[part] = choices.find((choice) => choice === target[part]) ?? choices[0] ?? "";
    before[part] = complete[part];
  }
  return complete;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
