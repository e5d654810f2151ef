import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { APIError, api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton, Button, ButtonLink } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded, NotAvailable } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { toFormQuery } from "../sessions/form-query.ts";
import { EndBadge } from "../sessions/session-cells.tsx";
import { ClipboardTab } from "./clipboard-tab.tsx";
import { ConnectTab } from "./connect-tab.tsx";
import { DetailsTab } from "./details-tab.tsx";
import { ConsoleTab, NetworkTab, TimelineTab } from "./event-tabs.tsx";
import { FilesTab } from "./files-tab.tsx";
import { AskButton, type Handoff, Handoffs } from "./handoffs.tsx";
import { PageTabs } from "./page-tabs.tsx";
import type { Player, Recording, Session } from "./panel.ts";
import { Stage } from "./stage.tsx";
import { TerminalTab } from "./terminal-tab.tsx";
import { useEvents } from "./use-events.ts";

const REFRESH_MS = 5000;

/** How long after the end the last screenshot and the recordings may take. */
const SETTLE_MS = 30_000;

const TIMELINE = { id: "timeline", label: "Timeline", Panel: TimelineTab, isOver: false };

const TABS = [
  TIMELINE,
  { id: "network", label: "Network", Panel: NetworkTab, isOver: false },
  { id: "console", label: "Console", Panel: ConsoleTab, isOver: false },
  { id: "connect", label: "Connect", Panel: ConnectTab, isOver: true },
  { id: "tabs", label: "Tabs", Panel: PageTabs, isOver: false },
  { id: "files", label: "Files", Panel: FilesTab, isOver: true },
  { id: "terminal", label: "Terminal", Panel: TerminalTab, isOver: true },
  { id: "clipboard", label: "Clipboard", Panel: ClipboardTab, isOver: true },
  { id: "details", label: "Details", Panel: DetailsTab, isOver: false },
];

/** A session with its screen, and tabs for everything known about it. */
export function SessionView() {
  const idOrName = useRoute().params.id ?? "";
  const { route } = useLocation();
  const [refreshMs, setRefreshMs] = useState<number | undefined>(REFRESH_MS);
  const resource = useLoad(
    idOrName,
    async (signal) => {
      const params = { path: { id_or_name: idOrName }, query: { include_deleted: true } };
      const session = await read(api.GET("/browsers/{id_or_name}", { params, signal }));
      const path = { id: session.session_id };
      const listing = read(api.GET("/browsers/{id}/replays", { params: { path }, signal }));
      const handoffs =
        session.browser_live_view_url === undefined
          ? []
          : await read(api.GET("/browsers/{id}/handoffs", { params: { path }, signal })).catch(() => []);
      return { session, handoffs, recordings: await listing.catch((): Recording[] => []) };
    },
    { refreshMs },
  );
  const { data, error, reload } = resource;
  useEffect(() => {
    const endedAt = data?.session.deleted_at;
    const isSettled = endedAt !== undefined && Date.now() - Date.parse(endedAt) > SETTLE_MS;
    setRefreshMs(isSettled || isMissing(error) ? undefined : REFRESH_MS);
    const id = data?.session.session_id ?? idOrName;
    // A name finds only an active session; an id also finds an ended one.
    if (id !== idOrName) route(`/console/sessions/${id}${location.search}`, true);
  }, [data, error]);
  if (data === undefined) {
    return (
      <Page title="Session" parent={{ href: "/console/sessions", label: "Sessions" }}>
        <Loaded resource={resource} lines={12}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Inspector key={data.session.session_id} {...data} error={error} reload={reload} />;
}

function isMissing(error: Error | undefined): boolean {
  return error instanceof APIError && error.status === 404;
}

interface InspectorProps {
  session: Session;
  recordings: readonly Recording[];
  handoffs: readonly Handoff[];
  error: Error | undefined;
  reload: () => void;
}

function Inspector({ session, recordings, handoffs, error, reload }: InspectorProps) {
  const { path, query, route } = useLocation();
  const [player, setPlayer] = useState<Player>();
  const isActive = session.deleted_at === undefined;
  const log = useEvents(session.session_id, isActive);
  const running = recordings.filter(({ finished_at }) => finished_at === null);
  const { id: tab, Panel, isOver } = TABS.find(({ id }) => id === query.tab) ?? TIMELINE;
  return (
    <Page
      title={session.name ?? session.session_id}
      parent={{ href: "/console/sessions", label: "Sessions" }}
      status={<Status session={session} isRecording={running.length > 0} />}
      actions={
        isActive ? (
          <Actions session={session} running={running} reload={reload} />
        ) : (
          <ButtonLink href={`/console/sessions/new?${toFormQuery(session)}`}>
            Start another like this
          </ButtonLink>
        )
      }
    >
      {error !== undefined && (
        <p class="problem" role="alert">
          {isMissing(error)
            ? "This session is no longer stored. This is its last known state."
            : error.message}{" "}
          {!isMissing(error) && <Button onClick={reload}>Try again</Button>}
        </p>
      )}
      {isActive && <Handoffs id={session.session_id} {...{ handoffs, reload }} />}
      <div class="inspector">
        <Stage session={session} isActive={isActive} recordings={recordings} onPlay={setPlayer} />
        <Tabs
          label="Parts of the session"
          items={TABS}
          selected={tab}
          // The filters of one tab mean nothing to another.
          onSelect={(next) => route(next === TIMELINE.id ? path : `${path}?tab=${next}`, true)}
        >
          {isOver && !isActive ? (
            <NotAvailable title="The session has ended">
              Its files, processes and clipboard are deleted. Events, the last screenshot and recordings are
              kept for some time.
            </NotAvailable>
          ) : (
            <Panel {...{ session, isActive, reload, log, player }} />
          )}
        </Tabs>
      </div>
    </Page>
  );
}

function Status({ session, isRecording }: { session: Session; isRecording: boolean }) {
  const { deleted_at, created_at } = session;
  return (
    <>
      {deleted_at === undefined ? <Badge tone="good">Active</Badge> : <EndBadge {...session} />}
      {isRecording && <Badge tone="bad">Recording</Badge>}
      <span class="dim">
        {deleted_at !== undefined && (
          <>
            Ended <Time at={deleted_at} />, ran{" "}
          </>
        )}
        <Elapsed since={created_at} until={deleted_at} />
      </span>
    </>
  );
}

interface ActionsProps {
  session: Session;
  running: readonly Recording[];
  reload: () => void;
}

function Actions({ session: { session_id: id, headless, cdp_ws_url }, running, reload }: ActionsProps) {
  const record = async () => {
    if (running.length === 0) {
      await read(api.POST("/browsers/{id}/replays", { params: { path: { id } }, body: {} }));
      showToast("Recording has started.");
    }
    for (const { replay_id } of running) {
      const params = { path: { id, replay_id } };
      await read(api.POST("/browsers/{id}/replays/{replay_id}/stop", { params }));
    }
    reload();
  };
  const params = { path: { id_or_name: id } };
  const revoke = async () => {
    await read(api.POST("/browsers/{id_or_name}/revoke_urls", { params }));
    // The live view and the connect URLs on the page are also revoked.
    location.reload();
  };
  const end = async () => {
    await read(api.DELETE("/browsers/{id_or_name}", { params })).catch((error) => {
      // It has ended by itself in the meantime.
      if (!isMissing(error)) throw error;
    });
    showToast("The session has ended.");
    reload();
  };
  return (
    <>
      <Menu label="More actions">
        <CopyButton text={cdp_ws_url} what="the DevTools URL with its token">
          Copy CDP URL
        </CopyButton>
        {!headless && (
          <>
            <ActionButton action={record}>{running.length > 0 ? "Stop recording" : "Record"}</ActionButton>
            <AskButton {...{ id, reload }} />
          </>
        )}
        <ConfirmButton
          kind="plain"
          question="Revoke the session's URLs?"
          consequence="All URLs issued so far stop working, and their connections are closed. The session continues with new URLs."
          confirm="Revoke URLs"
          action={revoke}
        />
      </Menu>
      <ConfirmButton
        question="End the session?"
        consequence="Its browser and processes end, its files are deleted, and clients are disconnected. Recordings and events are kept for some time."
        confirm="End session"
        action={end}
      />
    </>
  );
}
