import { api, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import type { Filter } from "../../ui/list.tsx";

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

const PARTS = {
  app: { label: "App", valuesOf: ({ app_name }: App) => [app_name] },
  version: { label: "Version", valuesOf: ({ version }: App) => [version] },
  action: { label: "Action", valuesOf: ({ actions }: App) => actions.map(({ name }) => name) },
};

/** Filters of a list by parts of the apps that are deployed. */
export function useAppFilters(parts: readonly (keyof typeof PARTS)[]): Filter[] {
  const [query] = useQuery();
  const { data: apps = [] } = useLoad("/apps of filters", loadApps);
  return parts.map((param) => {
    const { label, valuesOf } = PARTS[param];
    // The chosen one may no longer be deployed.
    const values = new Set([...apps.flatMap(valuesOf), query[param] ?? ""]);
    values.delete("");
    return { param, label, options: [["", "All"], ...[...values].map((value) => [value, value] as const)] };
  });
}
