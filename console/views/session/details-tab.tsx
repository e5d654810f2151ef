import { useState } from "preact/hooks";
import { api, read } from "../../api/client.ts";
import { Tags } from "../../ui/badge.tsx";
import { CopyButton, CopyText } from "../../ui/copy.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Checkbox, Form, formatTags, parseTags, SelectField, TextArea, TextField } from "../../ui/form.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Time, TimeLeft } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { connectCode, maskToken } from "./connect-code.ts";
import type { PanelProps, Session } from "./panel.ts";

/** The sizes that a running session can have. */
const VIEWPORTS = [
  { width: 2560, height: 1440, refresh_rate: 10 },
  { width: 1920, height: 1080, refresh_rate: 25 },
  { width: 1920, height: 1200, refresh_rate: 25 },
  { width: 1440, height: 900, refresh_rate: 25 },
  { width: 1024, height: 768, refresh_rate: 60 },
  { width: 1200, height: 800, refresh_rate: 60 },
];

export function DetailsTab({ session, isActive, reload }: PanelProps) {
  return (
    <div class="panel">
      <Section
        title="Facts"
        actions={
          isActive && (
            <DialogButton
              title="Edit the session"
              content={(close) => <EditSession session={session} onClose={close} onSaved={reload} />}
            >
              Edit
            </DialogButton>
          )
        }
      >
        <Facts facts={[...listFacts(session), ...listLinks(session)]} />
      </Section>
      {isActive && <Connect session={session} />}
    </div>
  );
}

type Fact = Parameters<typeof Facts>[0]["facts"][number];

function listFacts(session: Session): Fact[] {
  const { activity, viewport, persistence, start_url, api_key, telemetry, deleted_at } = session;
  const recorded = Object.entries(telemetry?.browser ?? {})
    .filter(([, category]) => category?.enabled)
    .map(([name]) => name);
  return [
    ["Name", session.name],
    ["Id", <CopyText key="id" text={session.session_id} what="the session id" />],
    ["Tags", <Tags key="tags" tags={session.tags} />],
    ["Created", exact(session.created_at)],
    ["Ended", deleted_at !== undefined && exact(deleted_at)],
    ["Why it ended", session.end_reason && `${session.end_reason}: ${session.end_details ?? ""}`],
    ["Idle timeout", formatDuration(session.timeout_seconds * 1000)],
    ["Idle time left", activity && <IdleLeft key="idle" activity={activity} />],
    ["DevTools clients", activity && String(activity.clients)],
    ["Viewers", activity && String(activity.viewers)],
    ["Viewport", describeViewport(viewport)],
    ["Start URL", start_url],
    ["Headless", session.headless ? "Yes" : "No"],
    ["Stealth", session.stealth ? "Yes" : "No"],
    ["Kiosk mode", session.kiosk_mode && "Yes"],
    ["Recording", session.record ? "The whole session" : "On request"],
    ["Telemetry", recorded.length === 0 ? "The default events, or none" : `In full: ${recorded.join(", ")}`],
    ["Events sent to", telemetry?.export && <code key="otlp">{telemetry.export.otlp.destination}</code>],
    ["Persistence id", persistence?.id],
    ["API key", api_key && `${api_key.name} (${api_key.id})`],
  ];
}

function IdleLeft({ activity: { ends_at } }: { activity: NonNullable<Session["activity"]> }) {
  return ends_at === undefined ? <>In use</> : <TimeLeft until={ends_at} />;
}

function exact(at: string) {
  return (
    <>
      {formatExact(Date.parse(at))} (<Time at={at} />)
    </>
  );
}

function listLinks(session: Session): Fact[] {
  const { profile, proxy_id, pool, invocation_id } = session;
  const link = (kind: string, id: string, name = id) => (
    <a href={`/console/${kind}/${encodeURIComponent(id)}`}>{name}</a>
  );
  return [
    ["Profile", profile && link("profiles", profile.id, profile.name ?? undefined)],
    ["Proxy", proxy_id && link("proxies", proxy_id)],
    ["Pool", pool && link("pools", pool.id, pool.name)],
    ["Invocation", invocation_id && link("invocations", invocation_id)],
  ];
}

function describeViewport({ width, height, refresh_rate }: Session["viewport"]): string {
  return `${width} × ${height}, ${refresh_rate ?? "–"} Hz`;
}

function Connect({ session }: { session: Session }) {
  const { cdp_ws_url, webdriver_ws_url, browser_live_view_url } = session;
  const urls: [string, string][] = [
    ["DevTools", cdp_ws_url],
    ["WebDriver BiDi", webdriver_ws_url],
    ...(browser_live_view_url ? [["Live view", browser_live_view_url] satisfies [string, string]] : []),
  ];
  return (
    <Section title="Connect">
      <p class="hint">
        Whoever has one of these URLs controls the session until it ends or they are revoked: treat them as
        secrets.
      </p>
      <Facts
        facts={urls.map(([name, url]) => [
          name,
          <span key={name} class="copy-text">
            <code>{maskToken(url)}</code>
            <CopyButton text={url} what={`the ${name} URL`} />
          </span>,
        ])}
      />
      {Object.entries(connectCode(location.origin, session)).map(([tool, code]) => (
        <div key={tool} class="connect-code">
          <h3>{tool}</h3>
          <div class="code-block">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
            <pre tabIndex={0}>
              <code>{maskToken(code)}</code>
            </pre>
            <CopyButton text={code} what={`the code for ${tool}`} />
          </div>
        </div>
      ))}
    </Section>
  );
}

interface EditSessionProps {
  session: Session;
  onClose: () => void;
  onSaved: () => void;
}

function EditSession({ session, onClose, onSaved }: EditSessionProps) {
  const before = describeViewport(session.viewport);
  const [name, setName] = useState(session.name ?? "");
  const [tags, setTags] = useState(formatTags(session.tags));
  const [viewport, setViewport] = useState(before);
  const [isForced, setForced] = useState(false);
  const sizes = VIEWPORTS.map(describeViewport);
  const submit = async () => {
    const size = viewport === before ? undefined : VIEWPORTS[sizes.indexOf(viewport)];
    const body = {
      ...(name !== (session.name ?? "") && { name }),
      tags: parseTags(tags),
      ...(size !== undefined && { viewport: { ...size, force: isForced } }),
    };
    const params = { path: { id_or_name: session.session_id } };
    await read(api.PATCH("/browsers/{id_or_name}", { params, body }));
    showToast("The session was changed.");
    onSaved();
    onClose();
  };
  return (
    <Form submit={submit} label="Save">
      <TextField label="Name" name="name" hint="Empty: none." value={name} onChange={setName} />
      <TextArea
        label="Tags"
        name="tags"
        hint="One per line: key=value"
        value={tags}
        onChange={setTags}
        rows={4}
      />
      <SelectField
        label="Viewport"
        name="viewport"
        value={viewport}
        options={[...new Set([before, ...sizes])].map((size) => [size, size])}
        onChange={setViewport}
      />
      <Checkbox
        label="Resize even while somebody watches the live view"
        hint="This page watches it, too."
        value={isForced}
        onChange={setForced}
      />
    </Form>
  );
}
