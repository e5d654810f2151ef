import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { APIError, api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton, Button, ConfirmButton } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { type TabItem, Tabs } from "../../ui/tabs.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ClipboardTab } from "./clipboard-tab.tsx";
import { ConsoleTab } from "./console-tab.tsx";
import { DetailsTab } from "./details-tab.tsx";
import { Ended } from "./ended.tsx";
import { FilesTab } from "./files-tab.tsx";
import { HandoffsTab } from "./handoffs-tab.tsx";
import { NetworkTab } from "./network-tab.tsx";
import { PageTabs } from "./page-tabs.tsx";
import { type PanelProps, type Session, toPath } from "./panel.ts";
import { type Player, type Replay, Stage } from "./stage.tsx";
import { TerminalTab } from "./terminal-tab.tsx";
import { TimelineTab } from "./timeline-tab.tsx";
import { useEvents } from "./use-events.ts";

const REFRESH_MS = 5000;

/** How long after the end the last screenshot and the recordings may take. */
const SETTLE_MS = 30_000;

const TABS = [
  { id: "timeline", label: "Timeline" },
  { id: "network", label: "Network" },
  { id: "console", label: "Console" },
  { id: "tabs", label: "Tabs" },
  { id: "files", label: "Files" },
  { id: "terminal", label: "Terminal" },
  { id: "clipboard", label: "Clipboard" },
  { id: "handoffs", label: "Handoffs" },
  { id: "details", label: "Details" },
] as const satisfies readonly TabItem<string>[];

type TabId = (typeof TABS)[number]["id"];

export function SessionView() {
  const idOrName = useRoute().params.id ?? "";
  const { query, route } = useLocation();
  const [isSettling, setSettling] = useState(true);
  const session = useLoad(
    idOrName,
    (signal) => {
      const params = { path: { id_or_name: idOrName }, query: { include_deleted: true } };
      return read(api.GET("/browsers/{id_or_name}", { params, signal }));
    },
    { refreshMs: isSettling ? REFRESH_MS : undefined },
  );
  const { data, error } = session;
  useEffect(() => {
    const isGone = error instanceof APIError && error.status === 404;
    const isSettled = data?.deleted_at !== undefined && Date.now() - Date.parse(data.deleted_at) > SETTLE_MS;
    setSettling(!isGone && !isSettled);
  }, [data, error]);
  useEffect(() => {
    // A name finds only an active session; its id finds it also afterwards.
    const search = new URLSearchParams(query).toString();
    if (data !== undefined && data.session_id !== idOrName) {
      route(`/console/sessions/${data.session_id}${search && `?${search}`}`, true);
    }
  }, [data, idOrName]);
  if (data === undefined) {
    return (
      <Page title="Session" parent={{ href: "/console/sessions", label: "Sessions" }}>
        <Loaded resource={session} lines={12}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Inspector key={data.session_id} session={data} error={error} reload={session.reload} />;
}

interface InspectorProps {
  session: Session;
  error: Error | undefined;
  reload: () => void;
}

function Inspector({ session, error, reload }: InspectorProps) {
  const [query, setQuery] = useQuery();
  const [liveURL, setLiveURL] = useState(session.browser_live_view_url);
  const [playhead, setPlayhead] = useState<number>();
  const [player, setPlayer] = useState<Player>();
  const isActive = session.deleted_at === undefined;
  const id = session.session_id;
  const log = useEvents(id, isActive);
  const replays = useLoad(`replays ${id}`, (signal) =>
    read(api.GET("/browsers/{id}/replays", { params: { path: { id } }, signal })),
  );
  const running = (replays.data ?? []).filter(({ finished_at }) => finished_at === null);
  const latestSession = useRef(session);
  useEffect(() => {
    // The session is loaded again and again: so are its recordings as long as they may change.
    if (latestSession.current !== session && (isActive || running.length > 0)) replays.reload();
    latestSession.current = session;
  }, [session]);
  useEffect(replays.reload, [isActive]);

  const tab = TABS.find((item) => item.id === query.tab)?.id ?? "timeline";
  const isWide = query.screen === "off";
  const select = (next: TabId) => {
    // The filters of one tab say nothing to another.
    const filters = Object.keys(query).filter((name) => name !== "screen");
    const none = Object.fromEntries(filters.map((name) => [name, undefined]));
    setQuery({ ...none, tab: next === "timeline" ? undefined : next });
  };
  const panel = { session, isActive, reload };
  return (
    <Page
      title={session.name ?? id}
      parent={{ href: "/console/sessions", label: "Sessions" }}
      status={<Status session={session} isRecording={running.length > 0} />}
      actions={
        <>
          <Button onClick={() => setQuery({ screen: isWide ? undefined : "off" })}>
            {isWide ? "Show the screen" : "Hide the screen"}
          </Button>
          {isActive && (
            <Actions {...panel} running={running} onRecording={replays.reload} onRevoked={setLiveURL} />
          )}
        </>
      }
    >
      {error !== undefined && <StaleNotice error={error} retry={reload} />}
      {!isActive && isWide && <Ended session={session} />}
      <div class={isWide ? "inspector is-wide" : "inspector"}>
        {!isWide && (
          <Stage {...{ session, isActive, replays, liveURL }} onPlayer={setPlayer} onPlayhead={setPlayhead} />
        )}
        <Tabs label="Parts of the session" items={TABS} selected={tab} onSelect={select}>
          {tab === "timeline" && <TimelineTab {...panel} {...{ log, playhead }} seek={player?.seek} />}
          {tab === "network" && <NetworkTab {...panel} log={log} />}
          {tab === "console" && <ConsoleTab {...panel} log={log} />}
          {tab === "tabs" && <PageTabs {...panel} />}
          {tab === "files" && <FilesTab {...panel} />}
          {tab === "terminal" && <TerminalTab {...panel} />}
          {tab === "clipboard" && <ClipboardTab {...panel} />}
          {tab === "handoffs" && <HandoffsTab {...panel} />}
          {tab === "details" && <DetailsTab {...panel} />}
        </Tabs>
      </div>
    </Page>
  );
}

function StaleNotice({ error, retry }: { error: Error; retry: () => void }) {
  const isGone = error instanceof APIError && error.status === 404;
  return (
    <p class="problem" role="alert">
      {isGone ? "This session is no longer stored. What is shown was loaded before." : error.message}{" "}
      {!isGone && <Button onClick={retry}>Try again</Button>}
    </p>
  );
}

function Status({ session, isRecording }: { session: Session; isRecording: boolean }) {
  const { deleted_at, created_at, headless, stealth, pool, invocation_id } = session;
  return (
    <>
      {deleted_at === undefined ? <Badge tone="good">Active</Badge> : <Badge>Ended</Badge>}
      {isRecording && <Badge tone="bad">Recording</Badge>}
      {headless && <Badge>Headless</Badge>}
      {stealth && <Badge>Stealth</Badge>}
      {pool !== undefined && <Badge tone="info">Pool {pool.name ?? pool.id}</Badge>}
      {invocation_id !== undefined && (
        <a href={`/console/invocations/${encodeURIComponent(invocation_id)}`}>Part of an invocation</a>
      )}
      <span class="dim">
        {deleted_at === undefined ? (
          <>
            for <Elapsed since={created_at} />
          </>
        ) : (
          <>
            <Time at={deleted_at} />, after <Elapsed since={created_at} until={deleted_at} />
          </>
        )}
      </span>
    </>
  );
}

interface ActionsProps extends PanelProps {
  running: readonly Replay[];
  onRecording: () => void;
  /** @param liveURL is the new address of the live view. */
  onRevoked: (liveURL: string | undefined) => void;
}

function Actions({ session, reload, running, onRecording, onRevoked }: ActionsProps) {
  const { session_id: id, browser_live_view_url: liveURL, headless } = session;
  const path = { id_or_name: id };
  const copy = async () => {
    await navigator.clipboard.writeText(session.cdp_ws_url);
    showToast("The connect URL was copied. Whoever has it controls the session.");
  };
  const record = async () => {
    if (running.length === 0) {
      await read(api.POST("/browsers/{id}/replays", { params: { path: { id } }, body: {} }));
      showToast("The recording has begun.");
    }
    for (const { replay_id } of running) {
      const params = { path: { id, replay_id } };
      await read(api.POST("/browsers/{id}/replays/{replay_id}/stop", { params }));
    }
    onRecording();
  };
  const end = async () => {
    await read(api.DELETE("/browsers/{id_or_name}", { params: { path } })).catch((error) => {
      // It has ended by itself meanwhile.
      if (!(error instanceof APIError && error.status === 404)) throw error;
    });
    showToast("The session has ended.");
    reload();
  };
  const revoke = async () => {
    const revoked = await read(api.POST("/browsers/{id_or_name}/revoke_urls", { params: { path } }));
    showToast("All earlier URLs are revoked.");
    onRevoked(revoked.browser_live_view_url);
    reload();
  };
  return (
    <>
      {liveURL !== undefined && (
        <a class="button is-plain" href={toPath(liveURL)} target="_blank" rel="noreferrer">
          Open live view
        </a>
      )}
      <ActionButton action={copy}>Copy connect URL</ActionButton>
      {!headless && (
        <ActionButton action={record}>{running.length > 0 ? "Stop recording" : "Record"}</ActionButton>
      )}
      <ConfirmButton
        kind="plain"
        question="Revoke the session's URLs?"
        consequence="All URLs issued so far stop working, and the connections made with them are closed. The session goes on with new URLs."
        confirm="Revoke"
        action={revoke}
      >
        Revoke URLs
      </ConfirmButton>
      <ConfirmButton
        question="End the session?"
        consequence="Its browser and processes end, its files are deleted, and clients are disconnected. Recordings and events are kept for some time."
        confirm="End session"
        action={end}
      >
        End session
      </ConfirmButton>
    </>
  );
}
