import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { FilterSelect } from "../../ui/list.tsx";
import { choicesFor, loadApps, type Target } from "./app-choices.ts";
import type { Statuses } from "./status.tsx";

const LABELS = { app: "App", version: "Version", action: "Action" } as const;

interface AppFiltersProps {
  parts: readonly (keyof Target)[];
  statuses: Statuses;
}

/** Filters of a list, which are in the address: parts of the apps that are deployed, and a status. */
export function AppFilters({ parts, statuses }: AppFiltersProps) {
  const [query, setQuery] = useQuery();
  const choices = choicesFor(useLoad("/apps of filters", loadApps).data ?? [], query);
  const select = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <FilterSelect
      key={name}
      label={label}
      value={query[name] ?? ""}
      options={[["", "All"], ...options]}
      onChange={(value) => setQuery({ [name]: value || undefined, offset: undefined })}
    />
  );
  return (
    <>
      {parts.map((part) => {
        // The chosen one may be deployed no longer.
        const values = new Set([...choices[part], query[part] ?? ""]);
        values.delete("");
        const options = [...values].map((value) => [value, value] as const);
        return select(part, LABELS[part], options);
      })}
      {select(
        "status",
        "Status",
        statuses.map(([value, label]) => [value, label]),
      )}
    </>
  );
}
