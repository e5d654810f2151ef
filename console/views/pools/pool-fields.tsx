import { useState } from "preact/hooks";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Checkbox, Form, SelectField, TextField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import {
  describeFilling,
  formatViewport,
  NEW_POOL,
  type Pool,
  type PoolBody,
  type PoolForm,
  TELEMETRY,
  toBody,
  toForm,
  VIEWPORTS,
} from "./pool.ts";

interface Named {
  id: string;
  name?: string | null;
}

type Choices = Record<"profiles" | "proxies" | "extensions", readonly Named[]>;

const SWITCHES = [
  ["headless", "Headless", "Without a live view."],
  ["stealth", "Stealth", "Fewer signs of an automated browser."],
  ["kiosk_mode", "Kiosk", "No address bar and tabs in the live view."],
  ["record", "Record", "A video of each lease. Not for headless browsers."],
] as const;

interface PoolFieldsProps {
  /** The pool that is changed; absent: a new one. */
  pool?: Pool;
  submit: (body: PoolBody) => Promise<void>;
}

/** The form of a pool. */
export function PoolFields(props: PoolFieldsProps) {
  const choices = useLoad("choices of a pool", async (signal): Promise<Choices> => {
    const options = { params: { query: { limit: 100 } }, signal };
    const [profiles, proxies, extensions] = await Promise.all([
      read(api.GET("/profiles", options)),
      read(api.GET("/proxies", options)),
      read(api.GET("/extensions", options)),
    ]);
    return { profiles, proxies, extensions };
  });
  return (
    <Loaded resource={choices} lines={10}>
      {(loaded) => <LoadedFields {...props} choices={loaded} />}
    </Loaded>
  );
}

function LoadedFields({ pool, submit, choices }: PoolFieldsProps & { choices: Choices }) {
  const [before] = useState(() => (pool === undefined ? NEW_POOL : toForm(pool)));
  const [form, setForm] = useState(before);
  const change = (changes: Partial<PoolForm>) => setForm((latest) => ({ ...latest, ...changes }));
  const number = (name: "size" | "fill_rate_per_minute" | "timeout_seconds") => ({
    name,
    type: "number" as const,
    value: Number.isNaN(form[name]) ? "" : String(form[name]),
    onChange: (text: string) => change({ [name]: text === "" ? Number.NaN : Number(text) }),
  });
  const text = (name: "name" | "start_url" | "telemetry" | "proxy_id") => ({
    name,
    value: form[name],
    onChange: (value: string) => change({ [name]: value }),
  });
  const flag = (name: "headless" | "stealth" | "kiosk_mode" | "record" | "discard_all_idle") => ({
    value: form[name],
    onChange: (value: boolean) => change({ [name]: value }),
  });
  const extensions = withSelected(choices.extensions, ...form.extensions);
  const isSelected = (id: string) => form.extensions.some((extension) => extension.id === id);
  return (
    <Form submit={() => submit(toBody(form, before))} label={pool === undefined ? "Create" : "Save"}>
      <fieldset>
        <legend>Pool</legend>
        <TextField
          label="Name"
          hint={pool === undefined ? "Letters, digits, “.”, “_” and “-”. May be empty." : "Empty: it stays."}
          {...text("name")}
        />
        <TextField label="Size" hint="Idle and leased browsers together." {...number("size")} />
        <TextField
          label="Fill rate"
          hint={`Percent of the size per minute, up to 25. ${describeFilling(form)}`}
          {...number("fill_rate_per_minute")}
        />
        <TextField
          label="Timeout"
          hint="Seconds without use, after which a leased browser is ended and replaced."
          {...number("timeout_seconds")}
        />
      </fieldset>
      <fieldset>
        <legend>Browsers</legend>
        <SelectField
          label="Viewport"
          name="viewport"
          options={VIEWPORTS.map((viewport) => [formatViewport(viewport), formatViewport(viewport)])}
          value={formatViewport(form.viewport)}
          onChange={(chosen) =>
            change({ viewport: VIEWPORTS.find((viewport) => formatViewport(viewport) === chosen) })
          }
        />
        <TextField
          label="Start URL"
          hint="Each browser opens it after its launch. May be empty."
          {...text("start_url")}
        />
        <SelectField
          label="Telemetry"
          options={Object.keys(TELEMETRY).map((choice, index) => [
            choice,
            index === 0 && pool === undefined ? "Default" : choice,
          ])}
          {...text("telemetry")}
        />
        {SWITCHES.map(([name, label, hint]) => (
          <Checkbox key={name} label={label} hint={hint} {...flag(name)} />
        ))}
      </fieldset>
      <fieldset>
        <legend>Profile, proxy and extensions</legend>
        <SelectField
          label="Profile"
          name="profile"
          hint="Each browser starts with its cookies and storage. Pools do not save profiles."
          options={toOptions(choices.profiles, form.profile.id)}
          value={form.profile.id}
          onChange={(id) => change({ profile: { id } })}
        />
        <SelectField
          label="Proxy"
          options={toOptions(choices.proxies, form.proxy_id)}
          {...text("proxy_id")}
        />
        {extensions.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={`Extension ${name ?? id}`}
            value={isSelected(id)}
            onChange={(isOn) => {
              const others = form.extensions.filter((extension) => extension.id !== id);
              change({ extensions: isOn ? [...others, { id }] : others });
            }}
          />
        ))}
      </fieldset>
      {pool !== undefined && (
        <Checkbox
          label="Replace idle browsers now"
          hint="Otherwise only browsers that are launched from now on have the changes."
          {...flag("discard_all_idle")}
        />
      )}
    </Form>
  );
}

/** With what is selected already, which may be older than the loaded ones or deleted. */
function withSelected(choices: readonly Named[], ...selected: readonly Named[]): readonly Named[] {
  return [...choices, ...selected.filter(({ id }) => id !== "" && !choices.some((known) => known.id === id))];
}

function toOptions(choices: readonly Named[], id: string): (readonly [string, string])[] {
  return [["", "None"], ...withSelected(choices, { id }).map(({ id, name }) => [id, name ?? id] as const)];
}
