import { useLocation, useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ConfirmButton } from "../../ui/button.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AcquireForm } from "./acquire-form.tsx";
import type { Pool, PoolBody } from "./pool.ts";
import { PoolFacts } from "./pool-facts.tsx";
import { PoolFields } from "./pool-fields.tsx";
import { PoolFill, PoolState } from "./pool-fill.tsx";
import { PoolSessions } from "./pool-sessions.tsx";

const REFRESH_MS = 5000;

export function PoolView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id_or_name: id } };
  const pool = useLoad(
    `/browser_pools/${id}`,
    (signal) => read(api.GET("/browser_pools/{id_or_name}", { params, signal })),
    { refreshMs: REFRESH_MS },
  );
  const { data } = pool;
  return (
    <Page
      title={data === undefined ? "Pool" : (data.name ?? data.id)}
      status={data && <PoolState pool={data} />}
      parent={{ href: "/console/pools", label: "Pools" }}
      actions={data && <Actions pool={data} reload={pool.reload} />}
    >
      <Loaded resource={pool}>
        {(data) => (
          <div class="columns">
            <Section title="Browsers">
              <PoolFill pool={data} />
              {data.last_error && (
                <p class="problem">
                  The last launch failed <Time at={data.last_error.at} />: {data.last_error.message}
                </p>
              )}
              <PoolSessions poolId={data.id} refreshMs={REFRESH_MS} onChange={pool.reload} />
            </Section>
            <Section title="Configuration">
              <PoolFacts pool={data} />
            </Section>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ pool, reload }: { pool: Pool; reload: () => void }) {
  const { route } = useLocation();
  const params = { path: { id_or_name: pool.id } };
  const { acquired_count: leased } = pool;
  const name = pool.name ?? pool.id;
  const flush = async () => {
    await read(api.POST("/browser_pools/{id_or_name}/flush", { params }));
    showToast("The idle browsers were ended.");
    reload();
  };
  const remove = async () => {
    await read(api.DELETE("/browser_pools/{id_or_name}", { params, body: { force: leased > 0 } }));
    showToast(`The pool “${name}” was deleted.`);
    route("/console/pools");
  };
  const change = async (body: PoolBody) => {
    await read(api.PATCH("/browser_pools/{id_or_name}", { params, body }));
    showToast("The pool was changed.");
    reload();
  };
  return (
    <>
      <DialogButton
        kind="primary"
        title={`Acquire a browser of “${name}”`}
        content={() => <AcquireForm pool={pool} />}
      >
        Acquire
      </DialogButton>
      <DialogButton
        title={`Edit the pool “${name}”`}
        content={(close) => <PoolFields pool={pool} submit={(body) => change(body).then(close)} />}
      >
        Edit
      </DialogButton>
      <ConfirmButton
        kind="plain"
        question={`End the idle browsers of “${name}”?`}
        consequence="They are replaced at the fill rate. Leased browsers are not affected."
        confirm="Flush"
        action={flush}
      >
        Flush
      </ConfirmButton>
      <ConfirmButton
        question={`Delete the pool “${name}”?`}
        consequence={
          leased === 0
            ? "Its idle browsers are ended."
            : `All its browsers are ended, also the leased ones with their sessions (${leased}).`
        }
        confirm={leased === 0 ? "Delete" : "Delete and end sessions"}
        action={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
}
