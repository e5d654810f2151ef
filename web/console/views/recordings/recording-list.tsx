import { api, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { formatBytes } from "../../ui/format.ts";
import { List } from "../../ui/list.tsx";
import { DocLink, Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Elapsed, Time } from "../../ui/time.tsx";
import { toPath, toPathBelow } from "../session/panel.ts";

type Recording = Schemas["ListedReplay"];

const REFRESH_MS = 10_000;

const COLUMNS: readonly Column<Recording>[] = [
  { title: "Session", cell: SessionCell },
  { title: "State", cell: StateBadge },
  { title: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  {
    title: "Length",
    isNumber: true,
    cell: ({ started_at, finished_at }) => <Elapsed since={started_at} until={finished_at} />,
  },
  { title: "Size", isNumber: true, cell: ({ size_bytes }) => (size_bytes ? formatBytes(size_bytes) : "–") },
  { title: "Video", cell: VideoLinks },
];

/** The recordings of all sessions of the project. */
export function RecordingList() {
  return (
    <Page title="Recordings">
      <p class="hint">
        Videos of all sessions, newest first. <DocLink page="recordings">About recordings</DocLink>
      </p>
      <List
        caption="Recordings"
        name="/org/recordings"
        load={({ limit, offset }, signal) =>
          readPage(api.GET("/org/recordings", { params: { query: { limit, offset } }, signal }))
        }
        columns={COLUMNS}
        idOf={({ replay_id }) => replay_id}
        empty={() => (
          <Empty title="No recordings yet">
            Choose Record in the form of a session, or press Record while it runs.
          </Empty>
        )}
        refreshMs={REFRESH_MS}
      />
    </Page>
  );
}

function SessionCell({ session_id: id, session_name: name, is_session_listed }: Recording) {
  const href = is_session_listed ? `/console/sessions/${id}` : undefined;
  return (
    <>
      {name !== null && (
        <a class="row-name" href={href}>
          {name}
        </a>
      )}
      <CopyId id={id} what="the session id" href={name === null ? href : undefined} />
    </>
  );
}

function StateBadge({ finished_at, note }: Recording) {
  if (finished_at === null) return <Badge tone="bad">Recording</Badge>;
  if (note === null) return <Badge tone="good">Complete</Badge>;
  return (
    <span title={note}>
      <Badge tone="warn">Incomplete</Badge>
    </span>
  );
}

function VideoLinks({ replay_id, replay_view_url: url, session_name, session_id, size_bytes }: Recording) {
  if (!size_bytes) return null;
  const what = `the recording of ${session_name ?? session_id}`;
  return (
    <div class="actions">
      <a class="button" href={toPath(url)} target="_blank" rel="noreferrer" aria-label={`Play ${what}`}>
        Play
      </a>
      <a
        class="button"
        href={toPathBelow(url, "video")}
        download={`${replay_id}.mp4`}
        aria-label={`Download ${what}`}
      >
        Download
      </a>
    </div>
  );
}
