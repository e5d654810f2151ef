import { api, readPage } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { FilterSelect } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { SessionTable } from "./session-table.tsx";

const MOST_ORGANIZATIONS = 100;

export function AllSessions() {
  const [{ organization }, setQuery] = useQuery();
  return (
    <Page title="All sessions">
      <SessionTable
        organizationId={organization}
        filter={
          <OrganizationFilter
            value={organization}
            onChange={(id) => setQuery({ organization: id, offset: undefined })}
          />
        }
      />
    </Page>
  );
}

interface OrganizationFilterProps {
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Offers the newest organizations. Others have their sessions on their own pages. */
function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { data } = useLoad("/admin/organizations", (signal) =>
    readPage(api.GET("/admin/organizations", { params: { query: { limit: MOST_ORGANIZATIONS } }, signal })),
  );
  const options = (data?.items ?? []).map(({ id, name }) => [id, name] as const);
  const isOffered = value === undefined || options.some(([id]) => id === value);
  return (
    <FilterSelect
      label="Organization"
      value={value ?? ""}
      options={[["", "All"], ...(isOffered ? [] : [[value, value] as const]), ...options]}
      onChange={(id) => onChange(id || undefined)}
    />
  );
}
