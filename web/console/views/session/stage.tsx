import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { request } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton, Button } from "../../ui/button.tsx";
import { formatDuration } from "../../ui/format.ts";
import { FilterSelect } from "../../ui/list.tsx";
import { DocLink } from "../../ui/page.tsx";
import { Picture } from "../../ui/picture.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { explainEnd, summarizeEnd } from "../sessions/end-reasons.ts";
import { type Player, type Recording, type Session, toPath, toPathBelow } from "./panel.ts";

interface StageProps {
  session: Session;
  isActive: boolean;
  recordings: readonly Recording[];
  /** Called while a recording is shown, and without one when it no longer is. */
  onPlay: (player: Player | undefined) => void;
}

/** What the session shows now, showed last, or showed while it was recorded. */
export function Stage({ session, isActive, recordings, onPlay }: StageProps) {
  const [chosen, setChosen] = useState<string>();
  const finished = recordings.filter(({ finished_at }) => finished_at !== null);
  const choices = finished.map(
    (recording, index) => [recording.replay_id, nameRecording(recording, index)] as const,
  );
  const options = isActive
    ? [["now", "Live"] as const, ...choices]
    : [...choices, ["now", "Last screenshot"] as const];
  const source = (options.find(([value]) => value === chosen) ?? options[0])?.[0] ?? "now";
  const recording = finished.find(({ replay_id }) => replay_id === source);
  const liveURL = isActive && recording === undefined ? session.browser_live_view_url : undefined;
  return (
    <section class="stage" aria-label="Screen">
      {!isActive && <EndNote session={session} />}
      <div class="stage-head">
        {options.length > 1 && (
          <FilterSelect label="Show" value={source} options={options} onChange={setChosen} />
        )}
        {recording !== undefined && (
          <>
            <a href={toPath(recording.replay_view_url)} target="_blank" rel="noreferrer">
              Open the player
            </a>
            <a href={toPathBelow(recording.replay_view_url, "video")} download={`${recording.replay_id}.mp4`}>
              Download
            </a>
          </>
        )}
        {liveURL !== undefined && (
          <>
            {document.fullscreenEnabled && <Button onClick={showFullScreen}>Full screen</Button>}
            <a href={toPath(liveURL)} target="_blank" rel="noreferrer">
              Open the live view in a new tab
            </a>
          </>
        )}
      </div>
      {recording !== undefined ? (
        <RecordingVideo key={recording.replay_id} recording={recording} onPlay={onPlay} />
      ) : !isActive ? (
        <LastScreenshot session={session} />
      ) : liveURL === undefined ? (
        <HeadlessView session={session} />
      ) : (
        <LiveView session={session} url={liveURL} />
      )}
    </section>
  );
}

function showFullScreen(): void {
  const view = document.querySelector<HTMLElement>(".live-view");
  void view?.requestFullscreen().then(() => view.focus());
}

function nameRecording({ started_at, finished_at }: Recording, index: number): string {
  const length = Date.parse(finished_at ?? started_at) - Date.parse(started_at);
  return `Recording ${index + 1} (${formatDuration(length)})`;
}

/** What happened, in plain words. */
function EndNote({ session }: { session: Session }) {
  const { text, more } = explainEnd(session);
  const isExpected = summarizeEnd(session.end_reason).tone === "neutral";
  const last = session.evidence?.tabs[0];
  return (
    <section class={isExpected ? "notice" : "problem"} aria-label="End">
      <p>
        <strong>{text}</strong> {more}
      </p>
      {last && (
        <p>
          Last page: {last.title} {last.url}
        </p>
      )}
      <p>
        <DocLink page="troubleshooting">What to do about it</DocLink>
      </p>
    </section>
  );
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

function LiveView({ session: { viewport, kiosk_mode }, url }: { session: Session; url: string }) {
  // Each load of the session has another token, for which the view must not be loaded again.
  const [src] = useState(toPath(url));
  return (
    <iframe
      class="live-view"
      src={src}
      title="Live view"
      allow="clipboard-read; clipboard-write"
      style={{ "--ratio": viewport.width / viewport.height, "--bars": kiosk_mode ? "2px" : "90px" }}
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
  const path = `/browsers/${session.session_id}/evidence/screenshot`;
  const picture = useLoad(`${path} ${at}`, async (signal) =>
    at === undefined ? null : (await request(path, { signal })).blob(),
  );
  return (
    <Screen session={session}>
      <Loaded resource={picture}>
        {(blob) =>
          blob === null ? (
            <Empty title="No picture of the session">
              It was not recorded, and no last screenshot was kept.
            </Empty>
          ) : (
            <Picture blob={blob} alt="What the session showed last" />
          )
        }
      </Loaded>
    </Screen>
  );
}

function RecordingVideo({ recording, onPlay }: { recording: Recording; onPlay: StageProps["onPlay"] }) {
  const [hasFailed, setFailed] = useState(false);
  // Each load of the list has another token, for which the video must not be loaded again.
  const [src] = useState(toPathBelow(recording.replay_view_url, "video"));
  const start = Date.parse(recording.started_at);
  useEffect(() => () => onPlay(undefined), []);
  const report = ({ currentTarget: video }: { currentTarget: HTMLVideoElement }) =>
    onPlay({
      at: start + video.currentTime * 1000,
      seek: (time) => {
        video.currentTime = Math.max(0, (time - start) / 1000);
      },
    });
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: recordings have no sound. */}
      <video
        class="screen"
        src={src}
        controls
        playsInline
        preload="metadata"
        onLoadedMetadata={report}
        onTimeUpdate={report}
        onSeeking={report}
        onError={() => setFailed(true)}
      />
      {hasFailed && (
        <p class="problem" role="alert">
          The video cannot be played here. Its link may have expired: reload this page or download the video.
        </p>
      )}
      {recording.note !== null && <p class="hint">This recording is incomplete: {recording.note}</p>}
    </>
  );
}
