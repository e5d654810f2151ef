import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, type RequestBody, read, type Schemas } from "../../api/client.ts";
import { type Resource, useLoad } from "../../api/hooks.ts";
import { Checkbox, Form, type FormValues, SelectField, TextField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { formatSize, SIZES, withScheme } from "./form-query.ts";

/** What sessions and pools have in common. An empty id selects nothing. */
export interface BrowserOptions extends Record<(typeof SWITCHES)[number][0], boolean> {
  viewport: Schemas["BrowserSession"]["viewport"];
  start_url: string;
  timeout_seconds: number | undefined;
  telemetry: RequestBody<"createBrowserPool">["telemetry"];
  region: Region | undefined;
  machine: Machine | undefined;
  profile: { id: string; save_changes?: boolean };
  proxy_id: string;
  /** In the order of their ids. */
  extensions: { id: string }[];
}

interface Named {
  id: string;
  name?: string | null;
}

/** What the organization has stored for its browsers. */
type Choices = Record<"profiles" | "proxies" | "extensions", readonly Named[]>;

type Region = NonNullable<RequestBody<"createBrowserSession">["region"]>;

const REGIONS: readonly (readonly [Region | "", string])[] = [
  ["", "Near the caller"],
  ["wnam", "Western North America"],
  ["enam", "Eastern North America"],
  ["sam", "South America"],
  ["weur", "Western Europe"],
  ["eeur", "Eastern Europe"],
  ["apac", "Asia-Pacific"],
  ["apac-ne", "Northeast Asia-Pacific"],
  ["apac-se", "Southeast Asia-Pacific"],
  ["oc", "Oceania"],
  ["afr", "Africa"],
  ["me", "Middle East"],
];

type Machine = Schemas["BrowserSession"]["machine"];

export const MACHINES = { simulated: "Simulated", linux: "Linux" } as const satisfies Record<Machine, string>;

/** The name of a region; undefined where none was chosen. */
export function nameOfRegion(region: Region | undefined): string | undefined {
  return REGIONS.find(([value]) => value === region)?.[1];
}

export const SWITCHES = [
  ["headless", "Headless", "No live view or recordings."],
  ["stealth", "Stealth", "Fewer signs of an automated browser."],
  ["kiosk_mode", "Kiosk", "No address bar or tabs in the live view."],
  ["record", "Record", "A video of the whole session. Not for headless browsers."],
] as const;

const ON = { enabled: true };
const ALL = { console: ON, network: ON, page: ON, interaction: ON, screenshot: ON };

/** Choices of what is recorded as events. The first changes nothing. */
const TELEMETRY: Readonly<Record<string, BrowserOptions["telemetry"]>> = {
  "": undefined,
  Nothing: { enabled: false },
  "All API calls, connections, crashes and ends": ON,
  Everything: { ...ON, browser: ALL },
};

export const NEW_BROWSER: BrowserOptions = {
  headless: false,
  stealth: false,
  kiosk_mode: false,
  record: false,
  viewport: { width: 1920, height: 1080 },
  start_url: "",
  timeout_seconds: 60,
  telemetry: undefined,
  region: undefined,
  machine: undefined,
  profile: { id: "" },
  proxy_id: "",
  extensions: [],
};

/** Options that most people leave as they are. */
const ADVANCED = [
  "viewport",
  "telemetry",
  "region",
  "proxy_id",
  "extensions",
  ...SWITCHES.map(([name]) => name),
] as const;

/** What the fields of {@link BrowserForm} hold. */
export function readBrowser(values: FormValues): BrowserOptions {
  const [width = 0, height = 0] = values.text("viewport").split(" × ").map(Number);
  const id = values.text("profile");
  return {
    headless: values.flag("headless"),
    stealth: values.flag("stealth"),
    kiosk_mode: values.flag("kiosk_mode"),
    record: values.flag("record"),
    viewport: { width, height },
    start_url: withScheme(values.text("start_url")),
    timeout_seconds: values.number("timeout_seconds"),
    telemetry: TELEMETRY[values.text("telemetry")],
    region: REGIONS.find(([value]) => value === values.text("region"))?.[0] || undefined,
    machine: readMachine(values.text("machine")),
    profile: { id, save_changes: (id !== "" && values.flag("save_changes")) || undefined },
    proxy_id: values.text("proxy_id"),
    extensions: toSelections(values.chosen("extensions")),
  };
}

function readMachine(text: string): Machine | undefined {
  return text === "simulated" || text === "linux" ? text : undefined;
}

/** Extensions as a request selects them. */
export function toSelections(ids: readonly string[]): { id: string }[] {
  return ids.toSorted().map((id) => ({ id }));
}

/** The options that changed. The others are not sent, because what they select may have been deleted. */
export function changes<T extends object>(after: T, before: NoInfer<T>): Partial<T> {
  const changed: Partial<T> = { ...after };
  for (const name in after) {
    if (JSON.stringify(after[name]) === JSON.stringify(before[name])) delete changed[name];
  }
  return changed;
}

/** Loads what a browser can be given. */
export function useChoices(): Resource<Choices> {
  return useLoad("choices of a browser", async (signal) => {
    const options = { params: { query: { limit: 100 } }, signal };
    const [profiles, proxies, extensions] = await Promise.all([
      read(api.GET("/profiles", options)),
      read(api.GET("/proxies", options)),
      read(api.GET("/extensions", options)),
    ]);
    return { profiles, proxies, extensions };
  });
}

/** The name of a choice; its id while the choices load, and if it has no name or is none of them. */
export function nameOfChoice(choices: Choices | undefined, id: string): string {
  return (
    (choices &&
      Object.values(choices)
        .flat()
        .find((item) => item.id === id)?.name) ??
    id
  );
}

interface BrowserFormProps {
  before: BrowserOptions;
  submit: (values: FormValues) => Promise<void>;
  onChange?: (values: FormValues) => void;
  /** Whether it changes a pool, in place of creating something. */
  isChange?: boolean;
  /** What it is about. */
  legend: string;
  /** The fields that only a session or only a pool has. */
  children: ComponentChildren;
  /** Beside the profile, once one is chosen. */
  profileOptions?: ComponentChildren;
}

/** The form of a session or a pool. */
export function BrowserForm(props: BrowserFormProps) {
  const { before, isChange, legend, children, profileOptions, ...form } = props;
  const [profile, setProfile] = useState(before.profile.id);
  const isSet = (name: (typeof ADVANCED)[number]) =>
    JSON.stringify(before[name]) !== JSON.stringify(NEW_BROWSER[name]);
  const unchosen = isChange ? "Unchanged" : "Navigations, errors, connections and API calls";
  const sizes = new Set([formatSize(before.viewport), ...SIZES]);
  const content = ({ profiles, proxies, extensions }: Choices) => (
    <Form {...form} label={isChange ? "Save" : "Create"}>
      <fieldset>
        <legend>{legend}</legend>
        {children}
        <TextField
          label="Start URL"
          name="start_url"
          placeholder="example.com"
          value={before.start_url}
          hint="Optional."
        />
        <TextField
          label="Timeout"
          name="timeout_seconds"
          type="number"
          value={before.timeout_seconds}
          hint="The session ends after this many idle seconds."
        />
        <SelectField
          label="Profile"
          name="profile"
          hint="The cookies and storage that the browser starts with."
          value={before.profile.id}
          options={toOptions(profiles, before.profile)}
          onChange={setProfile}
        />
        {profile !== "" && profileOptions}
      </fieldset>
      <details class="advanced" open={ADVANCED.some(isSet) || before.machine === "linux"}>
        <summary>Advanced options</summary>
        <div class="form">
          <fieldset>
            <legend>Browser</legend>
            {SWITCHES.map(([name, label, hint]) => (
              <Checkbox key={name} {...{ name, label, hint }} checked={before[name]} />
            ))}
            <SelectField
              label="Viewport"
              name="viewport"
              value={formatSize(before.viewport)}
              options={[...sizes].map((size) => [size, size])}
            />
            <SelectField
              label="Telemetry"
              name="telemetry"
              value={Object.keys(TELEMETRY).find((choice) => TELEMETRY[choice] === before.telemetry)}
              options={Object.keys(TELEMETRY).map((choice) => [choice, choice || unchosen])}
            />
            {!isChange && (
              <SelectField
                label="Region"
                name="region"
                value={before.region}
                options={REGIONS}
                hint="Where browsers run, if possible."
              />
            )}
            <SelectField
              label="Machine"
              name="machine"
              value={before.machine}
              options={[...(isChange ? [] : [["", "Default"] as const]), ...Object.entries(MACHINES)]}
              hint="What runs commands and keeps files."
            />
          </fieldset>
          <fieldset>
            <legend>Proxy and extensions</legend>
            <SelectField
              label="Proxy"
              name="proxy_id"
              value={before.proxy_id}
              options={toOptions(proxies, { id: before.proxy_id })}
            />
            {withSelected(extensions, before.extensions).map(({ id, name }) => (
              <Checkbox
                key={id}
                label={`Extension ${name ?? id}`}
                name="extensions"
                value={id}
                checked={before.extensions.some((selected) => selected.id === id)}
              />
            ))}
          </fieldset>
        </div>
      </details>
    </Form>
  );
  return (
    <Loaded resource={useChoices()} lines={10}>
      {content}
    </Loaded>
  );
}

/** With what is selected already, which may have been deleted. */
function withSelected(choices: readonly Named[], selected: readonly Named[]): readonly Named[] {
  return [...choices, ...selected.filter(({ id }) => id !== "" && !choices.some((known) => known.id === id))];
}

function toOptions(choices: readonly Named[], selected: Named): (readonly [string, string])[] {
  const options = withSelected(choices, [selected]);
  return [["", "None"], ...options.map(({ id, name }) => [id, name ?? id] as const)];
}
