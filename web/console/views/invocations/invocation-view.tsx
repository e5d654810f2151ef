import { useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { LogViewer } from "../apps/log-viewer.tsx";
import { INVOCATION_STATUSES, isFinal, Reason, StatusBadge } from "../apps/status.tsx";
import { useLive } from "../apps/use-live.ts";
import { nameOf, RunTime } from "./invocation-list.tsx";
import { JSONSection } from "./json-section.tsx";

export function InvocationView() {
  const { id = "" } = useRoute().params;
  return <LiveInvocation key={id} id={id} />;
}

function LiveInvocation({ id }: { id: string }) {
  const params = { path: { id } };
  const { resource, log } = useLive(
    `/invocations/${encodeURIComponent(id)}`,
    (signal) => read(api.GET("/invocations/{id}", { params, signal })),
    (event: Schemas["InvocationEvent"]) =>
      event.event === "invocation_state" ? event.invocation : undefined,
    INVOCATION_STATUSES,
  );
  const stop = async () => {
    await read(api.PATCH("/invocations/{id}", { params, body: { status: "failed" } }));
    showToast("The invocation was stopped.");
  };
  const isRunning = resource.data !== undefined && !isFinal(resource.data.status, INVOCATION_STATUSES);
  return (
    <ResourcePage
      noun="invocation"
      parent={{ href: "/console/invocations", label: "Invocations" }}
      resource={resource}
      titleOf={nameOf}
      status={({ status }) => <StatusBadge status={status} of={INVOCATION_STATUSES} />}
      actions={() => (
        <>
          {isRunning && (
            <ConfirmButton
              question="Stop this invocation?"
              consequence="Its action and its browser sessions end now, and it counts as failed."
              confirm="Stop"
              action={stop}
            />
          )}
          <ButtonLink href={`/console/invocations/new?from=${id}`}>Run again</ButtonLink>
        </>
      )}
    >
      {(invocation) => (
        <>
          <Reason {...invocation} />
          <div class="columns">
            <Section title="Details">
              <Facts
                facts={[
                  ["Id", <CopyText text={id} what="the invocation's id" />],
                  ["App", invocation.app_name],
                  ["Version", invocation.version],
                  ["Action", invocation.action_name],
                  ["Started", <Time at={invocation.started_at} />],
                  ["Duration", <RunTime {...invocation} />],
                  [
                    "Browsers",
                    <a href={`/console/sessions?status=all&invocation_id=${id}`}>
                      Sessions of this invocation
                    </a>,
                  ],
                ]}
              />
            </Section>
            <JSONSection title="Input" json={invocation.payload} empty="None" />
            <JSONSection title="Output" json={invocation.output} empty={isRunning ? "Not yet" : "None"} />
          </div>
          <LogViewer
            log={log}
            empty="No lines. The service keeps them for INVOCATION_LOG_RETENTION_SECONDS."
          />
        </>
      )}
    </ResourcePage>
  );
}
