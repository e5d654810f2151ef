import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { APIError, api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ConfirmButton } from "../../ui/button.tsx";
import { Meter } from "../../ui/chart.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type OrganizationFields, OrganizationForm } from "./organization-form.tsx";
import { OrganizationState } from "./organization-list.tsx";
import { type LimitedOrganization, type Organization, readLimits } from "./organizations.ts";
import { SessionTable } from "./session-table.tsx";

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
            <Details {...data} />
            <Section title="Sessions">
              <SessionTable organizationId={id} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Details(organization: LimitedOrganization) {
  const { id, use, limits, created_at, disabled_at } = organization;
  const originOf = (limit: number | null) =>
    limit === null ? "The service's default" : "A limit of its own";
  return (
    <Section title="Limits and use">
      <div class="cards">
        <div>
          <Meter label="Sessions" value={use.active_sessions} limit={limits.sessions} />
          <p class="hint">{originOf(organization.max_concurrent_sessions)}</p>
        </div>
        <div>
          <Meter label="Browsers in pools" value={use.pooled_sessions} limit={limits.pooled} />
          <p class="hint">{originOf(organization.max_pooled_sessions)}</p>
        </div>
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
  const change = async (body: Partial<OrganizationFields> & { disabled?: boolean }) => {
    await read(api.PATCH("/admin/organizations/{id}", { params: { path: { id } }, body }));
    showToast("The organization was changed.");
    onChanged();
  };
  return (
    <>
      <DialogButton
        title={`Change “${name}”`}
        content={(close) => (
          <OrganizationForm
            organization={organization}
            label="Save"
            submit={(body) => change(body).then(close)}
          />
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
      >
        {isEnabled ? "Disable" : "Enable"}
      </ConfirmButton>
      <DialogButton
        kind="danger"
        title={`Delete “${name}”?`}
        content={() => <DeleteOrganization {...organization} />}
      >
        Delete
      </DialogButton>
    </>
  );
}

function DeleteOrganization({ id, name }: Organization) {
  const { route } = useLocation();
  const [typed, setTyped] = useState("");
  const remove = async () => {
    if (typed !== name) {
      throw new APIError(0, "invalid_input", "Nothing was deleted.", { name: "is not its name" });
    }
    await read(api.DELETE("/admin/organizations/{id}", { params: { path: { id } } }));
    showToast(`“${name}” was deleted.`);
    route("/console");
  };
  return (
    <Form submit={remove} label="Delete" kind="danger">
      <p>
        Its API keys stop working, and everything it runs ends. This cannot be undone. To suspend it, disable
        it instead.
      </p>
      <TextField label={`Type “${name}” to confirm`} name="name" value={typed} onChange={setTyped} />
    </Form>
  );
}
