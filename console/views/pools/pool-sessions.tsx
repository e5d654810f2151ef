import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ConfirmButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

/** What happens to a browser when its session ends. */
const RELEASES = [
  {
    verb: "Release",
    reuse: true,
    consequence: "The next caller gets the browser with its tabs, cookies and storage.",
  },
  { verb: "Replace", reuse: false, consequence: "The browser is ended too, and the pool launches another." },
];

interface PoolSessionsProps {
  poolId: string;
  refreshMs: number;
  onChange: () => void;
}

/** The sessions that have a browser of a pool now. */
export function PoolSessions({ poolId, refreshMs, onChange }: PoolSessionsProps) {
  const sessions = useLoad(
    `/browsers of ${poolId}`,
    (signal) => {
      const query = { pool_id: poolId, status: "active", limit: 100 } as const;
      return read(api.GET("/browsers", { params: { query }, signal }));
    },
    { refreshMs },
  );
  const release = async (session_id: string, reuse: boolean) => {
    const params = { path: { id_or_name: poolId } };
    await read(api.POST("/browser_pools/{id_or_name}/release", { params, body: { session_id, reuse } }));
    showToast(reuse ? "The browser was released." : "The browser is being replaced.");
    sessions.reload();
    onChange();
  };
  const columns: Column<Schemas["BrowserSession"]>[] = [
    {
      title: "Session",
      cell: ({ session_id, name }) => (
        <a class="row-name" href={`/console/sessions/${session_id}`}>
          {name ?? session_id}
        </a>
      ),
    },
    { title: "Leased for", cell: ({ created_at }) => <Elapsed since={created_at} /> },
    {
      title: "Actions",
      cell: ({ session_id }) => (
        <div class="row-actions">
          {RELEASES.map(({ verb, reuse, consequence }) => (
            <ConfirmButton
              key={verb}
              kind={reuse ? "plain" : "danger"}
              label={`${verb} ${session_id}`}
              question={`${verb} the browser?`}
              consequence={`The session ends: its connections, processes and files are gone. ${consequence}`}
              confirm={verb}
              action={() => release(session_id, reuse)}
            >
              {verb}
            </ConfirmButton>
          ))}
        </div>
      ),
    },
  ];
  return (
    <Loaded resource={sessions} lines={2}>
      {(list) =>
        list.length === 0 ? (
          <p class="dim">No browser is leased.</p>
        ) : (
          <Table
            caption="Sessions of the pool"
            columns={columns}
            rows={list}
            idOf={(session) => session.session_id}
          />
        )
      }
    </Loaded>
  );
}
