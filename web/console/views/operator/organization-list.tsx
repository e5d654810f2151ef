import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { SecretButton } from "../../ui/dialog-button.tsx";
import { type FormValues, TextField } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

export type Organization = Schemas["OrganizationWithUse"];
export type LimitedOrganization = ReturnType<Awaited<ReturnType<typeof readLimits>>>;

const COLUMNS: Column<LimitedOrganization>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <>
        <a class="row-name" href={`/console/organizations/${id}`}>
          {name}
        </a>
        <code class="dim">{id}</code>
      </>
    ),
  },
  { title: "Sessions", cell: ({ use, limits }) => `${use.active_sessions} of ${limits.sessions}` },
  { title: "Browsers in pools", cell: ({ use, limits }) => `${use.pooled_sessions} of ${limits.pooled}` },
  { title: "API keys", cell: ({ use }) => use.api_keys },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "State", cell: (organization) => <OrganizationState {...organization} /> },
];

export function OrganizationList() {
  const [created, setCreated] = useState(0);
  return (
    <Page
      title="Organizations"
      actions={
        <SecretButton
          kind="primary"
          title="New organization"
          what="its first API key"
          confirm="Create"
          make={create}
          onClose={() => setCreated((count) => count + 1)}
          fields={
            <>
              <OrganizationFields />
              <TextField label="Name of its first API key" name="key_name" value="first key" />
            </>
          }
        />
      }
    >
      <List
        caption="Organizations"
        name="/admin/organizations"
        version={created}
        load={async ({ limit, offset }, signal) => {
          const [{ items, hasMore }, withLimits] = await Promise.all([
            readPage(api.GET("/admin/organizations", { params: { query: { limit, offset } }, signal })),
            readLimits(signal),
          ]);
          return { items: items.map(withLimits), hasMore };
        }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={() => <Empty title="No organizations yet" />}
      />
    </Page>
  );
}

async function create(values: FormValues): Promise<string> {
  const body = { ...readOrganization(values), key_name: values.text("key_name") };
  const { api_key } = await read(api.POST("/admin/organizations", { body }));
  return api_key.key;
}

/** Adds the limits of the service to organizations that have none of their own. */
export async function readLimits(signal: AbortSignal) {
  const { settings } = await read(api.GET("/admin/settings", { signal }));
  const defaultOf = (wanted: string) => Number(settings.find(({ name }) => name === wanted)?.value) || 0;
  const [sessions, pooled] = [defaultOf("MAX_CONCURRENT_SESSIONS"), defaultOf("MAX_POOLED_SESSIONS")];
  return (organization: Organization) => ({
    ...organization,
    limits: {
      sessions: organization.max_concurrent_sessions ?? sessions,
      pooled: organization.max_pooled_sessions ?? pooled,
    },
  });
}

export function OrganizationState({ disabled_at }: Organization) {
  return <Badge tone={disabled_at ? "warn" : "good"}>{disabled_at ? "Disabled" : "Enabled"}</Badge>;
}

const LIMIT = "Empty: the service's default.";
const BUDGET = "US dollars per month. Empty: none.";

const FIELDS = [
  ["max_concurrent_sessions", "Maximum sessions", LIMIT],
  ["max_pooled_sessions", "Maximum browsers in pools", LIMIT],
  ["soft_budget_usd", "Soft budget: announced by webhook", BUDGET],
  ["hard_budget_usd", "Hard budget: blocks new activity", BUDGET],
] as const;

/** @param organization its state before the change. */
export function OrganizationFields({ organization }: { organization?: Organization }) {
  return (
    <>
      <TextField label="Name" name="name" value={organization?.name} />
      {FIELDS.map(([name, label, hint]) => (
        <TextField key={name} {...{ name, label, hint }} type="number" value={organization?.[name]} />
      ))}
      {organization && (
        <TextField
          label="Weight"
          name="weight"
          type="number"
          value={organization.weight}
          hint="Its share of launches while organizations are waiting for browsers."
        />
      )}
    </>
  );
}

/** What {@link OrganizationFields} hold. A limit of null is the service's default, a budget of null none. */
export function readOrganization(values: FormValues) {
  const limits = Object.fromEntries(FIELDS.map(([name]) => [name, values.number(name) ?? null]));
  return { name: values.text("name"), weight: values.number("weight"), ...limits };
}
