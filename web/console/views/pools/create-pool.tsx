import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, type RequestBody, read, type Schemas } from "../../api/client.ts";
import { Checkbox, type FormValues, TextField } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { BrowserForm, changes, NEW_BROWSER, readBrowser, toSelections } from "../sessions/browser-fields.tsx";
import type { Pool } from "./pool-list.tsx";

export type PoolBody = RequestBody<"createBrowserPool"> & Schemas["UpdateBrowserPool"];

const NEW_POOL = { ...NEW_BROWSER, name: "", size: 2, fill_rate_per_minute: 10, timeout_seconds: 600 };

export function CreatePool() {
  const { route } = useLocation();
  const create = async (body: PoolBody) => {
    const { id, name = id } = await read(api.POST("/browser_pools", { body }));
    showToast(`The pool “${name}” was created.`);
    route(`/console/pools/${id}`);
  };
  return (
    <Page title="New pool" parent={{ href: "/console/pools", label: "Pools" }}>
      <PoolForm submit={create} />
    </Page>
  );
}

interface PoolFormProps {
  /** The pool that is changed; absent: a new one. */
  pool?: Pool;
  submit: (body: PoolBody) => Promise<void>;
}

export function PoolForm({ pool, submit }: PoolFormProps) {
  // The fields do not follow the pool while it is edited.
  const [before] = useState(() => (pool === undefined ? NEW_POOL : toOptions(pool)));
  const send = (values: FormValues) => {
    const options = {
      name: values.text("name"),
      fill_rate_per_minute: values.number("fill_rate_per_minute"),
      discard_all_idle: values.flag("discard_all_idle"),
      ...readBrowser(values),
    };
    const changed = changes(options, { ...before, discard_all_idle: false });
    return submit({ ...changed, size: Number(values.text("size")) });
  };
  return (
    <BrowserForm legend="Pool" before={before} submit={send} isChange={pool !== undefined}>
      <TextField label="Name" name="name" value={before.name} hint="Letters, digits, “.”, “_” and “-”." />
      <TextField
        label="Size"
        name="size"
        type="number"
        value={before.size}
        hint="Idle and leased browsers together."
      />
      <TextField
        label="Fill rate"
        name="fill_rate_per_minute"
        type="number"
        value={before.fill_rate_per_minute}
        hint="Percent of the size per minute, up to 25. 0 pauses filling."
      />
      {pool !== undefined && (
        <Checkbox
          label="Replace idle browsers now"
          name="discard_all_idle"
          hint="Otherwise the changes apply only to browsers launched from now on."
        />
      )}
    </BrowserForm>
  );
}

function toOptions({ browser_pool_config: config, profile_id: id = "", extension_ids }: Pool) {
  const { width, height } = config.viewport;
  const selected = { profile: { id }, extensions: toSelections(extension_ids), telemetry: undefined };
  return { ...NEW_POOL, ...config, ...selected, viewport: { width, height } };
}
