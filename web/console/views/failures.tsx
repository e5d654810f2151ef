import { APIError, api, read, type Schemas } from "../api/client.ts";
import { Badge } from "../ui/badge.tsx";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { nameOf as nameOfInvocation } from "./invocations/invocation-list.tsx";
import { nameOf as nameOfSession } from "./sessions/session-cells.tsx";

type Errors = Schemas["OrganizationOverview"]["errors"];

interface Failure {
  id: string;
  name: string;
  reason: string | null | undefined;
  at: string | null | undefined;
}

export type NamedFailure = Failure & { kind: string; href: string };

const MAX_SHOWN = 6;
const MAX_WEBHOOKS = 10;

/** How many failed, what that is called, its list, and the newest ones. */
const KINDS = [
  ["sessions_lost", "Session", "/console/sessions", "?status=deleted", loadSessions],
  ["invocations_failed", "App run", "/console/invocations", "?status=failed", loadInvocations],
  ["deployments_failed", "Deployment", "/console/deployments", "", loadDeployments],
  ["webhook_deliveries_failed", "Webhook", "/console/webhooks", "", loadWebhooks],
] as const;

/** The newest failures of the project and of the organization's webhooks. Asks only for what has failed. */
export async function loadFailures(errors: Errors, signal: AbortSignal): Promise<NamedFailure[]> {
  const loads = KINDS.filter(([count]) => errors[count] > 0).map(async ([, kind, list, , load]) => {
    const failures = await load(signal).catch(toNone);
    return failures.map((failure) => ({ ...failure, kind, href: `${list}/${failure.id}` }));
  });
  const found = (await Promise.all(loads)).flat();
  return found.toSorted((a, b) => Date.parse(b.at ?? "") - Date.parse(a.at ?? "")).slice(0, MAX_SHOWN);
}

/** A key of one project may not read webhooks. */
function toNone(error: unknown): Failure[] {
  if (error instanceof APIError) return [];
  throw error;
}

async function loadSessions(signal: AbortSignal): Promise<Failure[]> {
  const query = { status: "deleted", limit: 50 } as const;
  const sessions = await read(api.GET("/browsers", { params: { query }, signal }));
  const lost = sessions.filter(({ end_reason }) => end_reason === "browser_lost");
  return lost.map((session) => {
    const { session_id: id, end_details: reason, deleted_at: at } = session;
    return { id, name: nameOfSession(session), reason, at };
  });
}

async function loadInvocations(signal: AbortSignal): Promise<Failure[]> {
  const query = { status: "failed", limit: MAX_SHOWN } as const;
  const invocations = await read(api.GET("/invocations", { params: { query }, signal }));
  return invocations.map((invocation) => {
    const { id, status_reason: reason, finished_at: at } = invocation;
    return { id, name: nameOfInvocation(invocation), reason, at };
  });
}

async function loadDeployments(signal: AbortSignal): Promise<Failure[]> {
  const deployments = await read(api.GET("/deployments", { params: { query: { limit: 50 } }, signal }));
  const failed = deployments.filter(({ status }) => status === "failed");
  return failed.map(({ id, entrypoint_rel_path: name, status_reason: reason, updated_at: at }) => {
    return { id, name, reason, at };
  });
}

/** One failure for each webhook whose deliveries fail. */
async function loadWebhooks(signal: AbortSignal): Promise<Failure[]> {
  const query = { limit: MAX_WEBHOOKS };
  const webhooks = await read(api.GET("/org/webhooks", { params: { query }, signal }));
  const found = webhooks.map(async ({ id, url: name }) => {
    const params = { path: { id }, query: { limit: 20 } };
    const deliveries = await read(api.GET("/org/webhooks/{id}/deliveries", { params, signal }));
    const failed = deliveries.find(({ state }) => state === "failed");
    return failed === undefined ? [] : { id, name, reason: failed.state_reason, at: failed.created_at };
  });
  return (await Promise.all(found)).flat();
}

interface FailuresProps {
  failures: readonly NamedFailure[];
  errors: Errors;
}

/** What failed lately, by name, and how much failed in the last 24 hours. */
export function Failures({ failures, errors }: FailuresProps) {
  const counts = KINDS.filter(([count]) => errors[count] > 0);
  if (counts.length === 0) {
    return (
      <Section title="Recent failures">
        <Empty title="Nothing failed in the last 24 hours" />
      </Section>
    );
  }
  return (
    <Section title="Recent failures">
      <ul class="failures">
        {failures.map(({ id, kind, name, href, reason, at }) => (
          <li key={id}>
            <Badge tone="bad">{kind}</Badge>
            <a href={href}>{name}</a>
            <span class="dim">
              <Time at={at} />
            </span>
            {reason && <p class="hint">{reason}</p>}
          </li>
        ))}
      </ul>
      <ul class="tags" aria-label="Failures in the last 24 hours, all projects">
        <li class="hint">Last 24 hours, all projects:</li>
        {counts.map(([count, kind, list, query]) => (
          <li key={count}>
            <a href={list + query}>
              {kind}s: {errors[count]}
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
