import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ActionLinks } from "../apps/action-links.tsx";
import { LogViewer } from "../apps/log-viewer.tsx";
import { DEPLOYMENT_STATUSES, isFinal, Reason, StatusBadge } from "../apps/status.tsx";
import { useLive } from "../apps/use-live.ts";

type DeployedApp = Extract<Schemas["DeploymentEvent"], { event: "app_version_summary" }>;

const PARENT = { href: "/console/deployments", label: "Deployments" };

export function DeploymentView() {
  const { id = "" } = useRoute().params;
  return <LiveDeployment key={id} id={id} />;
}

function LiveDeployment({ id }: { id: string }) {
  const params = { path: { id } };
  const [apps, setApps] = useState<DeployedApp[]>([]);
  const { resource, value, log } = useLive(
    `/deployments/${encodeURIComponent(id)}`,
    (signal) => read(api.GET("/deployments/{id}", { params, signal })),
    (event: Schemas["DeploymentEvent"]) => {
      if (event.event === "app_version_summary") {
        setApps((before) => [...before.filter(({ id }) => id !== event.id), event]);
      }
      return event.event === "deployment_state" ? event.deployment : undefined;
    },
    DEPLOYMENT_STATUSES,
  );
  const stop = async () => {
    await read(api.DELETE("/deployments/{id}", { params }));
    showToast("The deployment was stopped.");
  };
  if (value === undefined) {
    return (
      <Page title="Deployment" parent={PARENT}>
        <Loaded resource={resource}>{() => null}</Loaded>
      </Page>
    );
  }
  const { status, status_reason } = value;
  const isEnded = isFinal(status, DEPLOYMENT_STATUSES);
  return (
    <Page
      title={apps.map(({ app_name }) => app_name).join(", ") || "Deployment"}
      parent={PARENT}
      status={<StatusBadge status={status} of={DEPLOYMENT_STATUSES} />}
      actions={
        isEnded || (
          <ConfirmButton
            question="Stop this deployment?"
            consequence="Its apps can no longer be invoked, and their unfinished invocations fail."
            confirm="Stop"
            action={stop}
          >
            Stop
          </ConfirmButton>
        )
      }
    >
      {status_reason !== undefined && <Reason isBad={status === "failed"}>{status_reason}</Reason>}
      <div class="columns">
        <Section title="Details">
          <Facts
            facts={[
              ["Id", <CopyText key="id" text={id} what="the deployment's id" />],
              ["Version", value.version],
              ["Entry point", value.entrypoint_rel_path],
              ["Environment", Object.keys(value.env_vars).join(", ") || "No variables"],
              ["Created", <Time key="created" at={value.created_at} />],
              ["Last change", <Time key="updated" at={value.updated_at} />],
              ["SHA-256 of the zip", <CopyText key="sum" text={value.source_checksum} what="the checksum" />],
            ]}
          />
        </Section>
        <Section title="Actions">
          {apps.length === 0 && <p class="dim">{isEnded ? "None known" : "Not yet known"}</p>}
          {apps.map((app) => (
            <div key={app.id}>
              <h3>{app.app_name}</h3>
              {isEnded ? app.actions.map(({ name }) => name).join(", ") : <ActionLinks {...app} />}
            </div>
          ))}
        </Section>
      </div>
      <LogViewer log={log} empty="No lines yet. The logs of its invocations appear here, too." />
    </Page>
  );
}
