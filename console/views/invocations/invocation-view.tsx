import { useLocation, useRoute } from "preact-iso";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton, ButtonLink, ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { LogViewer } from "../apps/log-viewer.tsx";
import { INVOCATION_STATUSES, isFinal, Reason, StatusBadge } from "../apps/status.tsx";
import { useLive } from "../apps/use-live.ts";
import { RunTime } from "./invocation-list.tsx";
import { JSONSection } from "./json-section.tsx";

const PARENT = { href: "/console/invocations", label: "Invocations" };
const SESSIONS_REFRESH_MS = 3000;

export function InvocationView() {
  const { id = "" } = useRoute().params;
  return <LiveInvocation key={id} id={id} />;
}

function LiveInvocation({ id }: { id: string }) {
  const { resource, value, log } = useLive(
    `/invocations/${encodeURIComponent(id)}`,
    (signal) => read(api.GET("/invocations/{id}", { params: { path: { id } }, signal })),
    (event: Schemas["InvocationEvent"]) =>
      event.event === "invocation_state" ? event.invocation : undefined,
    INVOCATION_STATUSES,
  );
  if (value === undefined) {
    return (
      <Page title="Invocation" parent={PARENT}>
        <Loaded resource={resource}>{() => null}</Loaded>
      </Page>
    );
  }
  const { app_name, action_name, status, status_reason, payload, output } = value;
  const isRunning = !isFinal(status, INVOCATION_STATUSES);
  return (
    <Page
      title={`${app_name} · ${action_name}`}
      parent={PARENT}
      status={<StatusBadge status={status} of={INVOCATION_STATUSES} />}
      actions={<Actions {...value} />}
    >
      {status_reason !== undefined && <Reason isBad={status === "failed"}>{status_reason}</Reason>}
      <div class="columns">
        <Section title="Details">
          <Facts
            facts={[
              ["Id", <CopyText key="id" text={id} what="the invocation's id" />],
              ["App", app_name],
              ["Version", value.version],
              ["Action", action_name],
              ["Started", <Time key="started" at={value.started_at} />],
              ["Duration", <RunTime key="duration" {...value} />],
            ]}
          />
        </Section>
        <Sessions id={id} isRunning={isRunning} />
        <JSONSection title="Input" json={payload} empty="None" fileName={`${id}-input.json`} />
        <JSONSection
          title="Output"
          json={output}
          empty={isRunning ? "Not yet" : "None"}
          fileName={`${id}-output.json`}
        />
      </div>
      <LogViewer
        log={log}
        empty={
          isRunning
            ? "No lines yet."
            : "No lines. The service keeps them for INVOCATION_LOG_RETENTION_SECONDS."
        }
      />
    </Page>
  );
}

function Actions({ id, app_name, action_name, version, status, payload }: Schemas["Invocation"]) {
  const { route } = useLocation();
  const cancel = async () => {
    const params = { path: { id } };
    await read(api.PATCH("/invocations/{id}", { params, body: { status: "failed" } }));
    showToast("The invocation was stopped.");
  };
  const runAgain = async () => {
    const body = { app_name, action_name, version, async: true, ...(payload !== undefined && { payload }) };
    const created = await read(api.POST("/invocations", { body }));
    showToast("It runs again. This is the new invocation.");
    route(`/console/invocations/${created.id}`);
  };
  return (
    <>
      {!isFinal(status, INVOCATION_STATUSES) && (
        <ConfirmButton
          question="Stop this invocation?"
          consequence="Its action and its browser sessions end now, and it counts as failed."
          confirm="Stop"
          action={cancel}
        >
          Stop
        </ConfirmButton>
      )}
      <ButtonLink href={`/console/invocations/new?from=${id}`}>Change and run</ButtonLink>
      <ActionButton action={runAgain}>Run again</ActionButton>
    </>
  );
}

/** Also those that have ended, which `GET /invocations/{id}/browsers` leaves out. */
function Sessions({ id, isRunning }: { id: string; isRunning: boolean }) {
  const query = { invocation_id: id, status: "all", limit: 100 } as const;
  const sessions = useLoad(
    `sessions of ${id} ${isRunning}`,
    (signal) => readPage(api.GET("/browsers", { params: { query }, signal })),
    { refreshMs: isRunning ? SESSIONS_REFRESH_MS : undefined },
  );
  return (
    <Section title="Browser sessions">
      <Loaded resource={sessions} lines={1}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="dim">{isRunning ? "None yet" : "None"}</p>
          ) : (
            <ul class="invocation-sessions">
              {items.map(({ session_id, name, created_at, deleted_at }) => (
                <li key={session_id}>
                  <a href={`/console/sessions/${session_id}`}>{name ?? session_id}</a>
                  {deleted_at === undefined ? <Badge tone="good">Active</Badge> : <Badge>Ended</Badge>}
                  <Elapsed since={created_at} until={deleted_at} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
