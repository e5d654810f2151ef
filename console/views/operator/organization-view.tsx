import { useLocation, useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Meter } from "../../ui/chart.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton, DialogButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Form, type FormValues, invalid, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
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
  const { data, reload } = organization;
  return (
    <Page
      title={data?.name ?? "Organization"}
      status={data && <OrganizationState {...data} />}
      actions={data && <OrganizationActions organization={data} onChanged={reload} />}
      parent={{ href: "/console", label: "Organizations" }}
    >
      <Loaded resource={organization}>
        {(data) => (
          <>
            <LimitsAndUse {...data} />
            <Section title="Sessions">
              <SessionTable organizationId={id} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function LimitsAndUse({ id, use, limits, created_at, disabled_at }: LimitedOrganization) {
  return (
    <Section title="Limits and use">
      <div class="cards">
        <Meter label="Sessions" value={use.active_sessions} limit={limits.sessions} />
        <Meter label="Browsers in pools" value={use.pooled_sessions} limit={limits.pooled} />
      </div>
      <Facts
        facts={[
          ["Id", <CopyText text={id} what="the id" />],
          ["API keys that work", use.api_keys],
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
    if (values.text("name") !== name) throw invalid("name", "is not its name");
    await read(api.DELETE("/admin/organizations/{id}", { params }));
    showToast(`“${name}” was deleted.`);
    route("/console");
  };
  return (
    <>
      <DialogButton
        title={`Change “${name}”`}
        content={(close) => (
          <Form submit={(values) => change(readOrganization(values)).then(close)} label="Save">
            <OrganizationFields organization={organization} />
          </Form>
        )}
      >
        Change
      </DialogButton>
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
      <DialogButton
        kind="danger"
        title={`Delete “${name}”?`}
        content={() => (
          <Form submit={remove} label="Delete" kind="danger">
            <p>Its API keys stop working, and everything it runs ends. This cannot be undone.</p>
            <TextField label={`Type “${name}” to confirm`} name="name" />
          </Form>
        )}
      >
        Delete
      </DialogButton>
    </>
  );
}
