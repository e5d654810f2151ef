import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { DocLink, Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

type Capability = Schemas["Capability"];

const OUTCOMES = {
  holds: ["good", "Holds"],
  differs: ["bad", "Differs"],
  untried: ["neutral", "Untried"],
} as const;

const COLUMNS: Column<Capability>[] = [
  {
    title: "Check",
    cell: ({ name, title }) => (
      <>
        <span class="row-name">{title}</span>
        <code class="dim">{name}</code>
      </>
    ),
  },
  {
    title: "Outcome",
    cell: ({ outcome }) => <Badge tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</Badge>,
  },
  { title: "Seen", cell: ({ seen }) => seen },
  { title: "Tested", cell: ({ measured_at }) => <Time at={measured_at} /> },
  { title: "What it means", cell: meaningOf },
];

/** What Berth refuses because of a check, or would refuse. */
function meaningOf({ features, outcome }: Capability) {
  if (features.length === 0) return outcome === "differs" ? "Nothing is refused" : "–";
  return `${outcome === "differs" ? "Refused" : "Refused if it differs"}: ${features.join(", ")}`;
}

export function Capabilities() {
  const capabilities = useLoad("/admin/capabilities", (signal) =>
    read(api.GET("/admin/capabilities", { signal })),
  );
  return (
    <Page title="Capabilities">
      <p class="hint">
        What the platform was found to support. Berth refuses features that depend on a check that differs,
        and allows those that were never tested. To test again, run this in a checkout of Berth.{" "}
        <DocLink page="probe">About the probe</DocLink>
      </p>
      <CodeBlock code={`ADMIN_TOKEN=… npm run probe -- --remote ${location.origin}`} what="the command" />
      <Loaded resource={capabilities} lines={12}>
        {(rows) => <Table caption="Capabilities" columns={COLUMNS} rows={rows} idOf={({ name }) => name} />}
      </Loaded>
    </Page>
  );
}
