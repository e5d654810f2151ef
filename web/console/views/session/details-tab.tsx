import { Tags } from "../../ui/badge.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { TimeLeft } from "../../ui/time.tsx";
import { MACHINES, nameOfRegion } from "../sessions/browser-fields.tsx";
import { summarizeEnd } from "../sessions/end-reasons.ts";
import type { PanelProps, Session } from "./panel.ts";

/** The facts of a session. */
export function DetailsTab({ session }: PanelProps) {
  return (
    <Section title="Facts">
      <Facts facts={[...listFacts(session), ...listLinks(session)]} />
    </Section>
  );
}

type Fact = Parameters<typeof Facts>[0]["facts"][number];

function listFacts(session: Session): Fact[] {
  const { activity, viewport, telemetry, deleted_at, end_reason, api_key } = session;
  const recorded = Object.entries(telemetry?.browser ?? {})
    .filter(([, category]) => category?.enabled)
    .map(([name]) => name);
  const options = (["headless", "stealth", "kiosk_mode"] as const).filter((name) => session[name]);
  const size = `${viewport.width} × ${viewport.height}, ${viewport.refresh_rate ?? "–"} Hz`;
  return [
    ["Name", session.name],
    ["Id", <CopyText key="id" text={session.session_id} what="the session id" />],
    ["Tags", <Tags key="tags" tags={session.tags} />],
    ["Created", formatExact(Date.parse(session.created_at))],
    ["Ended", deleted_at && formatExact(Date.parse(deleted_at))],
    ["Why it ended", end_reason && `${summarizeEnd(end_reason).word}: ${session.end_details ?? ""}`],
    ["Idle timeout", formatDuration(session.timeout_seconds * 1000)],
    ["Idle time left", activity && (activity.ends_at ? <TimeLeft until={activity.ends_at} /> : "In use")],
    ["DevTools clients", activity && String(activity.clients)],
    ["Viewers", activity && String(activity.viewers)],
    ["Viewport", size],
    ["Start URL", session.start_url],
    ["Region", nameOfRegion(session.region)],
    ["Machine", MACHINES[session.machine]],
    ["Options", options.join(", ") || "None"],
    ["Recording", session.record ? "The whole session" : "On request"],
    ["Telemetry", recorded.length === 0 ? "Default events or none" : `In full: ${recorded.join(", ")}`],
    ["API key", api_key && `${api_key.name} (${api_key.id})`],
  ];
}

function listLinks({ profile, proxy_id, pool, invocation_id }: Session): Fact[] {
  const links = [
    ["Profile", "profiles", profile?.id, profile?.name],
    ["Proxy", "proxies", proxy_id, undefined],
    ["Pool", "pools", pool?.id, pool?.name],
    ["Invocation", "invocations", invocation_id, undefined],
  ] as const;
  return links.map(([label, path, id, name]) => [
    label,
    id && <a href={`/console/${path}/${encodeURIComponent(id)}`}>{name ?? id}</a>,
  ]);
}
