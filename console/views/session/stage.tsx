import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { request, type Schemas } from "../../api/client.ts";
import { type Resource, useLoad } from "../../api/hooks.ts";
import { ActionButton } from "../../ui/button.tsx";
import { formatDuration } from "../../ui/format.ts";
import { FilterSelect } from "../../ui/list.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Ended } from "./ended.tsx";
import { type Session, toPath, toPathBelow } from "./panel.ts";

export type Replay = Schemas["Replay"];

/** A recording on the stage. Times are milliseconds since the epoch. */
export interface Player {
  seek: (time: number) => void;
}

interface StageProps {
  session: Session;
  isActive: boolean;
  replays: Resource<Replay[]>;
  /** Its live view. It stays the same as long as it is valid, so that the view is not loaded again. */
  liveURL: string | undefined;
  onPlayer: (player: Player | undefined) => void;
  onPlayhead: (time: number | undefined) => void;
}

const LIVE = "live";
const LAST = "last";

/** What the session shows now, showed last, or showed while it was recorded. */
export function Stage({ session, isActive, replays, liveURL, onPlayer, onPlayhead }: StageProps) {
  const [chosen, setChosen] = useState<string>();
  const finished = (replays.data ?? []).filter(({ finished_at }) => finished_at !== null);
  const options: [string, string][] = [
    ...(isActive ? [[LIVE, "Live"] satisfies [string, string]] : []),
    ...finished.map((replay, index): [string, string] => [replay.replay_id, nameReplay(replay, index)]),
    ...(isActive ? [] : [[LAST, "Last screenshot"] satisfies [string, string]]),
  ];
  const source = options.find(([value]) => value === chosen)?.[0] ?? options[0]?.[0] ?? LAST;
  const replay = finished.find(({ replay_id }) => replay_id === source);
  return (
    <section class="stage" aria-label="Screen">
      {!isActive && <Ended session={session} />}
      {options.length > 1 && (
        <div class="stage-head">
          <FilterSelect label="Show" value={source} options={options} onChange={setChosen} />
          {replay !== undefined && <ReplayLinks key={replay.replay_id} replay={replay} />}
        </div>
      )}
      {replay !== undefined ? (
        <ReplayVideo key={replay.replay_id} {...{ replay, onPlayer, onPlayhead }} />
      ) : source === LIVE ? (
        <LiveView session={session} url={liveURL} />
      ) : replays.data === undefined && replays.error === undefined ? (
        <Screen session={session}>
          <p role="status">Loading…</p>
        </Screen>
      ) : (
        <LastScreenshot session={session} />
      )}
    </section>
  );
}

function nameReplay({ started_at, finished_at }: Replay, index: number): string {
  const length = Date.parse(finished_at ?? started_at) - Date.parse(started_at);
  return `Recording ${index + 1} (${formatDuration(length)})`;
}

/** A frame of the viewport's shape. */
function Screen({ session, children }: { session: Session; children: ComponentChildren }) {
  const { width, height } = session.viewport;
  return (
    <div class="screen" style={{ aspectRatio: `${width} / ${height}` }}>
      {children}
    </div>
  );
}

function LiveView({ session, url }: { session: Session; url: string | undefined }) {
  if (url === undefined) return <HeadlessView session={session} />;
  return (
    <iframe
      class="live-view"
      src={toPath(url)}
      title="Live view"
      allow="clipboard-read; clipboard-write"
      style={{
        "--ratio": session.viewport.width / session.viewport.height,
        "--bars": session.kiosk_mode ? "2px" : "90px",
      }}
    />
  );
}

function HeadlessView({ session }: { session: Session }) {
  const [picture, setPicture] = useState<Blob>();
  const take = async () => {
    const path = `/browsers/${session.session_id}/computer/screenshot`;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    setPicture(await (await request(path, init)).blob());
  };
  return (
    <>
      <Screen session={session}>
        {picture === undefined ? (
          <Empty title="Headless sessions have no live view">A screenshot shows the tab in front.</Empty>
        ) : (
          <Picture blob={picture} alt="Screenshot of the tab in front" />
        )}
      </Screen>
      <div class="stage-head">
        <ActionButton action={take}>Take a screenshot</ActionButton>
      </div>
    </>
  );
}

function LastScreenshot({ session }: { session: Session }) {
  const at = session.evidence?.screenshot_at;
  const picture = useLoad(`screenshot ${session.session_id} ${at}`, async (signal) => {
    if (at === undefined) return undefined;
    return (await request(`/browsers/${session.session_id}/evidence/screenshot`, { signal })).blob();
  });
  return (
    <Screen session={session}>
      {at === undefined ? (
        <Empty title="There is no picture of the session">
          It was not recorded, and no last screenshot was kept.
        </Empty>
      ) : (
        <Loaded resource={picture}>
          {(blob) => blob && <Picture blob={blob} alt="What the session showed last" />}
        </Loaded>
      )}
    </Screen>
  );
}

export function Picture({ blob, alt }: { blob: Blob; alt: string }) {
  const url = useObjectURL(blob);
  return url === undefined ? null : <img src={url} alt={alt} />;
}

function useObjectURL(blob: Blob): string | undefined {
  const [url, setURL] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setURL(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return url;
}

function ReplayLinks({ replay }: { replay: Replay }) {
  return (
    <>
      <a href={toPath(replay.replay_view_url)} target="_blank" rel="noreferrer">
        Open the player
      </a>
      <a href={toPathBelow(replay.replay_view_url, "video")} download={`${replay.replay_id}.mp4`}>
        Download
      </a>
    </>
  );
}

interface ReplayVideoProps extends Pick<StageProps, "onPlayer" | "onPlayhead"> {
  replay: Replay;
}

function ReplayVideo({ replay, onPlayer, onPlayhead }: ReplayVideoProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [hasFailed, setFailed] = useState(false);
  const latest = toPathBelow(replay.replay_view_url, "video");
  // Each load of the list has new tokens, which are used only when the old one does not work.
  const [src, setSrc] = useState(latest);
  const start = Date.parse(replay.started_at);
  useEffect(() => {
    onPlayer({
      seek: (time) => {
        if (video.current !== null) video.current.currentTime = Math.max(0, (time - start) / 1000);
      },
    });
    return () => {
      onPlayer(undefined);
      onPlayhead(undefined);
    };
  }, []);
  const follow = () => onPlayhead(start + (video.current?.currentTime ?? 0) * 1000);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: recordings have no sound. */}
      <video
        ref={video}
        class="screen"
        src={src}
        controls
        playsInline
        preload="metadata"
        onTimeUpdate={follow}
        onSeeking={follow}
        onError={() => (src === latest ? setFailed(true) : setSrc(latest))}
        onLoadedData={() => setFailed(false)}
      />
      {hasFailed && (
        <p class="problem" role="alert">
          The video cannot be played here. Its link may have expired: load this page again, or download it.
        </p>
      )}
      {replay.note !== null && <p class="hint">This recording is incomplete: {replay.note}</p>}
    </>
  );
}
