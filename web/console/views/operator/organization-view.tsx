import { useLocation, useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Meter } from "../../ui/chart.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton, FormButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { type FormValues, invalid, TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Budget } from "../usage/budget.tsx";
import { GROUPS, UsageReport } from "../usage/usage-report.tsx";
import { SessionTable } from "./all-sessions.tsx";
import {
  type LimitedOrganization,
  type Organization,
  OrganizationFields,
  OrganizationState,
  readLimits,
  readOrganization,
} from "./organization-list.tsx";

const REFRESH_MS = 10_000;

export function OrganizationView() {
  const { id = "" } = useRoute().params;
  const load = async (signal: AbortSignal) => {
    const [organization, withLimits] = await Promise.all([
      read(api.GET("/admin/organizations/{id}", { params: { path: { id } }, signal })),
      readLimits(signal),
    ]);
    return withLimits(organization);
  };
  const organization = useLoad(`/admin/organizations/${id}`, load, { refreshMs: REFRESH_MS });
  return (
    <ResourcePage
      noun="organization"
      parent={{ href: "/console", label: "Organizations" }}
      resource={organization}
      status={(data) => <OrganizationState {...data} />}
      actions={(data) => <OrganizationActions organization={data} onChanged={organization.reload} />}
    >
      {(data) => (
        <>
          <LimitsAndUse {...data} />
          <Section title="Sessions">
            <SessionTable organizationId={id} />
          </Section>
          <UsageReport
            name={`/admin/usage of ${id}`}
            load={(query, signal) => {
              const params = { query: { ...query, organization_id: id } };
              return read(api.GET("/admin/usage", { params, signal }));
            }}
            groups={GROUPS}
            cell={(group) => group}
          >
            {({ total }, isThisMonth) => (
              <Budget
                soft={data.soft_budget_usd}
                hard={data.hard_budget_usd}
                spent={isThisMonth ? total.estimated_usd.total : undefined}
              />
            )}
          </UsageReport>
        </>
      )}
    </ResourcePage>
  );
}

function LimitsAndUse({ id, use, limits, weight, created_at, disabled_at }: LimitedOrganization) {
  return (
    <Section title="Limits and usage">
      <div class="cards">
        <Meter label="Sessions" value={use.active_sessions} limit={limits.sessions} />
        <Meter label="Browsers in pools" value={use.pooled_sessions} limit={limits.pooled} />
      </div>
      <Facts
        facts={[
          ["Id", <CopyText text={id} what="the id" />],
          ["Active API keys", use.api_keys],
          ["Weight", weight],
          ["Created", <Time at={created_at} />],
          ["Disabled", disabled_at !== null && <Time at={disabled_at} />],
        ]}
      />
    </Section>
  );
}

interface OrganizationActionsProps {
  organization: Organization;
  onChanged: () => void;
}

function OrganizationActions({ organization, onChanged }: OrganizationActionsProps) {
  const { id, name, disabled_at } = organization;
  const isEnabled = disabled_at === null;
  const params = { path: { id } };
  const { route } = useLocation();
  const change = async (body: ReturnType<typeof readOrganization> | { disabled: boolean }) => {
    await read(api.PATCH("/admin/organizations/{id}", { params, body }));
    showToast("The organization was changed.");
    onChanged();
  };
  const remove = async (values: FormValues) => {
    if (values.text("name") !== name) throw invalid("name", "does not match");
    await read(api.DELETE("/admin/organizations/{id}", { params }));
    showToast(`“${name}” was deleted.`);
    route("/console");
  };
  return (
    <>
      <FormButton
        title={`Change “${name}”`}
        confirm="Save"
        submit={(values) => change(readOrganization(values))}
        fields={<OrganizationFields organization={organization} />}
      >
        Change
      </FormButton>
      <ConfirmButton
        kind="plain"
        question={isEnabled ? `Disable “${name}”?` : `Enable “${name}”?`}
        consequence={
          isEnabled
            ? "Its API keys are refused, its sessions end, its pools lose their browsers, and its unfinished invocations fail."
            : "Its API keys work again, and its pools launch browsers."
        }
        confirm={isEnabled ? "Disable" : "Enable"}
        action={() => change({ disabled: isEnabled })}
      />
      <FormButton
        kind="danger"
        title={`Delete “${name}”?`}
        confirm="Delete"
        submit={remove}
        fields={
          <>
            <p>Its API keys stop working, and everything it runs ends. This cannot be undone.</p>
            <TextField label={`Type “${name}” to confirm`} name="name" />
          </>
        }
      >
        Delete
      </FormButton>
    </>
  );
}
