import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ActionLinks } from "../apps/app-list.tsx";
import { LogViewer } from "../apps/log-viewer.tsx";
import { DEPLOYMENT_STATUSES, isFinal, Reason, StatusBadge } from "../apps/status.tsx";
import { useLive } from "../apps/use-live.ts";

type DeployedApp = Extract<Schemas["DeploymentEvent"], { event: "app_version_summary" }>;

export function DeploymentView() {
  const { id = "" } = useRoute().params;
  return <LiveDeployment key={id} id={id} />;
}

function LiveDeployment({ id }: { id: string }) {
  const params = { path: { id } };
  const [apps, setApps] = useState<DeployedApp[]>([]);
  const { resource, log } = useLive(
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
  return (
    <ResourcePage
      noun="deployment"
      parent={{ href: "/console/deployments", label: "Deployments" }}
      resource={resource}
      titleOf={(data) => apps.map(({ app_name }) => app_name).join(", ") || data.entrypoint_rel_path}
      status={({ status }) => <StatusBadge status={status} of={DEPLOYMENT_STATUSES} />}
      actions={({ status }) =>
        isFinal(status, DEPLOYMENT_STATUSES) || (
          <ConfirmButton
            question="Stop this deployment?"
            consequence="Its apps can no longer be invoked, and their unfinished invocations fail."
            confirm="Stop"
            action={stop}
          />
        )
      }
    >
      {(deployment) => (
        <>
          <Reason {...deployment} />
          <div class="columns">
            <Section title="Details">
              <Facts
                facts={[
                  ["Id", <CopyText text={id} what="the deployment's id" />],
                  ["Version", deployment.version],
                  ["Entry point", deployment.entrypoint_rel_path],
                  ["Environment", Object.keys(deployment.env_vars).join(", ") || "No variables"],
                  ["Created", <Time at={deployment.created_at} />],
                  ["Last change", <Time at={deployment.updated_at} />],
                  ["SHA-256 of the zip", <CopyText text={deployment.source_checksum} what="the checksum" />],
                ]}
              />
            </Section>
            <Section title="Actions">
              <DeployedActions apps={apps} isEnded={isFinal(deployment.status, DEPLOYMENT_STATUSES)} />
            </Section>
          </div>
          <LogViewer log={log} empty="No lines yet. The logs of its invocations will also appear here." />
        </>
      )}
    </ResourcePage>
  );
}

function DeployedActions({ apps, isEnded }: { apps: readonly DeployedApp[]; isEnded: boolean }) {
  if (apps.length === 0) return <p class="dim">{isEnded ? "None" : "Not yet known"}</p>;
  return apps.map((app) => (
    <div key={app.id}>
      <h3>{app.app_name}</h3>
      {isEnded ? app.actions.map(({ name }) => name).join(", ") : <ActionLinks {...app} />}
    </div>
  ));
}
