import { useLocation } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { Page } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { PoolBody } from "./pool.ts";
import { PoolFields } from "./pool-fields.tsx";

export function CreatePool() {
  const { route } = useLocation();
  const create = async (body: PoolBody) => {
    const pool = await read(api.POST("/browser_pools", { body }));
    showToast(`The pool “${pool.name ?? pool.id}” was created.`);
    route(`/console/pools/${pool.id}`);
  };
  return (
    <Page title="New pool" parent={{ href: "/console/pools", label: "Pools" }}>
      <PoolFields submit={create} />
    </Page>
  );
}
