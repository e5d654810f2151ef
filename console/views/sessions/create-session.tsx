import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read, readPage } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { CodeBlock } from "../../ui/copy.tsx";
import { Checkbox, Form, parseTags, SelectField, TextArea, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import {
  CATEGORIES,
  DEFAULT_TIMEOUT,
  DEFAULT_VIEWPORT,
  isOn,
  VIEWPORTS,
  withCategory,
  withoutDefaults,
} from "./options.ts";
import { type CreateBody, connectURL, curlSample, pythonSample, typescriptSample } from "./samples.ts";

const SAMPLES = [
  { id: "typescript", label: "TypeScript", write: typescriptSample },
  { id: "python", label: "Python", write: pythonSample },
  { id: "curl", label: "curl", write: curlSample },
  { id: "connect", label: "Connect URL", write: connectURL },
] as const;

/** Whether they are of the live view, which headless sessions do not have. */
const SWITCHES = [
  ["stealth", "Stealth", "Reduce the signs of an automated browser.", false],
  ["headless", "Headless", "Without a live view and recordings.", false],
  ["kiosk_mode", "Kiosk", "Hide the address bar and the tabs in the live view.", true],
  ["record", "Record", "A video of the whole session.", true],
] as const;

interface FieldsProps {
  body: CreateBody;
  set: (changes: CreateBody) => void;
}

export function CreateSession() {
  const { route } = useLocation();
  const [body, setBody] = useState<CreateBody>({});
  const [tags, setTags] = useState("");
  const fields = { body, set: (changes: CreateBody) => setBody((before) => ({ ...before, ...changes })) };
  const withTags = (text: string) => withoutDefaults({ ...body, tags: parseTags(text) });
  const submit = async () => {
    const { session_id } = await read(api.POST("/browsers", { body: withTags(tags) }));
    showToast("The session was created.");
    route(`/console/sessions/${session_id}`);
  };
  return (
    <Page title="New session" parent={{ href: "/console/sessions", label: "Sessions" }}>
      <div class="create-session">
        <Form submit={submit} label="Create session">
          <fieldset>
            <legend>Session</legend>
            <SessionFields {...fields} />
            <TextArea
              label="Tags"
              name="tags"
              rows={3}
              hint="One key=value in a line."
              value={tags}
              onChange={setTags}
            />
          </fieldset>
          <BrowserFields {...fields} />
          <SelectedFields {...fields} />
          <TelemetryFields {...fields} />
        </Form>
        <Samples body={withTags(completeLines(tags))} />
      </div>
    </Page>
  );
}

function SessionFields({ body, set }: FieldsProps) {
  const text = (name: "name" | "start_url") => ({
    name,
    value: body[name] ?? "",
    onChange: (value: string) => set({ [name]: value }),
  });
  return (
    <>
      <TextField {...text("name")} label="Name" hint="Unique among the active sessions. Empty: none." />
      <TextField {...text("start_url")} label="Start URL" placeholder="https://example.com" />
      <TextField
        label="Timeout in seconds"
        name="timeout_seconds"
        type="number"
        placeholder={String(DEFAULT_TIMEOUT)}
        hint={`The session ends when nobody uses it for so long. Empty: ${DEFAULT_TIMEOUT}.`}
        value={body.timeout_seconds?.toString() ?? ""}
        onChange={(text) => set({ timeout_seconds: text === "" ? undefined : Number(text) })}
      />
    </>
  );
}

function BrowserFields({ body, set }: FieldsProps) {
  const { viewport = toViewport(DEFAULT_VIEWPORT), viewport_mode } = body;
  const isAny = viewport_mode === "any";
  const choose = (size: string) =>
    set(size === "any" ? { viewport_mode: "any" } : { viewport: toViewport(size), viewport_mode: undefined });
  const side = (name: "width" | "height") => ({
    type: "number" as const,
    value: viewport[name] === 0 ? "" : String(viewport[name]),
    onChange: (text: string) => set({ viewport: { ...viewport, [name]: Number(text) } }),
  });
  return (
    <fieldset>
      <legend>Browser</legend>
      <SelectField
        label="Viewport"
        name={isAny ? undefined : "viewport"}
        value={isAny ? "any" : `${viewport.width}x${viewport.height}`}
        options={[...VIEWPORTS.map((size) => [size, size.replace("x", " × ")] as const), ["any", "Any size"]]}
        onChange={choose}
      />
      {isAny && (
        <div class="number-fields">
          <TextField {...side("width")} label="Width" name="viewport" hint="200 to 4096." />
          <TextField {...side("height")} label="Height" />
        </div>
      )}
      {SWITCHES.filter(([, , , isOfView]) => !(isOfView && body.headless)).map(([name, label, hint]) => (
        <Checkbox
          key={name}
          {...{ label, hint }}
          value={body[name] ?? false}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
    </fieldset>
  );
}

/** What the organization has stored for its sessions. */
function SelectedFields({ body: { profile, proxy_id = "", extensions = [] }, set }: FieldsProps) {
  const lists = useLoad("session choices", async (signal) => {
    const params = { query: { limit: 100 } };
    const [profiles, proxies, extensions] = await Promise.all([
      readPage(api.GET("/profiles", { params, signal })),
      readPage(api.GET("/proxies", { params, signal })),
      readPage(api.GET("/extensions", { params, signal })),
    ]);
    return { profiles: profiles.items, proxies: proxies.items, extensions: extensions.items };
  });
  return (
    <fieldset>
      <legend>Profile, proxy and extensions</legend>
      <Loaded resource={lists}>
        {(loaded) => (
          <>
            <SelectField
              label="Profile"
              name="profile"
              hint="The cookies and storage that the session begins with."
              value={loaded.profiles.find((item) => isSelected(item, profile))?.id ?? ""}
              options={[["", "None"], ...loaded.profiles.map(toOption)]}
              onChange={(id) => set({ profile: toSelection(loaded.profiles.find((item) => item.id === id)) })}
            />
            {profile && (
              <Checkbox
                label="Save changes to the profile when the session ends"
                value={profile.save_changes ?? false}
                onChange={(save) => set({ profile: { ...profile, save_changes: save || undefined } })}
              />
            )}
            <SelectField
              label="Proxy"
              name="proxy_id"
              value={proxy_id}
              options={[["", "None"], ...loaded.proxies.map(toOption)]}
              onChange={(proxy_id) => set({ proxy_id })}
            />
            {loaded.extensions.map((item) => {
              const others = extensions.filter((selection) => !isSelected(item, selection));
              const added = toSelection(item) ?? [];
              return (
                <Checkbox
                  key={item.id}
                  label={`Extension ${item.name ?? item.id}`}
                  value={others.length < extensions.length}
                  onChange={(isChosen) => set({ extensions: isChosen ? others.concat(added) : others })}
                />
              );
            })}
          </>
        )}
      </Loaded>
    </fieldset>
  );
}

function TelemetryFields({ body: { telemetry }, set }: FieldsProps) {
  const value = telemetry == null ? "default" : telemetry.enabled === false ? "off" : "chosen";
  const requests = { default: undefined, off: { enabled: false }, chosen: { enabled: true } };
  return (
    <fieldset>
      <legend>Telemetry</legend>
      <SelectField
        label="What is recorded as events"
        name="telemetry"
        value={value}
        options={[
          ["default", "Navigations, errors, connections and API calls"],
          ["chosen", "Chosen categories"],
          ["off", "Nothing"],
        ]}
        onChange={(chosen) => set({ telemetry: requests[chosen] })}
      />
      {telemetry != null &&
        value === "chosen" &&
        CATEGORIES.map(([category, hint]) => (
          <Checkbox
            key={category}
            label={category}
            hint={hint}
            value={isOn(telemetry, category)}
            onChange={(isChosen) => set({ telemetry: withCategory(telemetry, category, isChosen) })}
          />
        ))}
    </fieldset>
  );
}

function Samples({ body }: { body: CreateBody }) {
  const [selected, setSelected] = useState<(typeof SAMPLES)[number]["id"]>("typescript");
  const sample = SAMPLES.find(({ id }) => id === selected) ?? SAMPLES[0];
  return (
    <Section title="The same in code">
      <Tabs label="Languages" items={SAMPLES} selected={selected} onSelect={setSelected}>
        <CodeBlock code={sample.write(body, location.origin)} what="the code" />
      </Tabs>
      <p class="hint">
        {selected === "connect"
          ? "For any tool that takes a DevTools endpoint. Connecting creates the session; closing the connection ends it."
          : "Set BERTH_API_KEY to a key of your organization."}
      </p>
    </Section>
  );
}

interface Named {
  id: string;
  name?: string | null;
}

type Selected = Partial<Record<"id" | "name", string>> | undefined;

function toOption({ id, name }: Named): readonly [string, string] {
  return [id, name ?? id];
}

/** By name where there is one, because it says more to a reader. */
function toSelection(item: Named | undefined): Selected {
  return item && (item.name ? { name: item.name } : { id: item.id });
}

function isSelected({ id, name }: Named, selected: Selected): boolean {
  return selected?.id === id || (selected?.name !== undefined && selected.name === name);
}

function toViewport(size: string): { width: number; height: number } {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}

/** A line that is being typed is not a tag yet. */
function completeLines(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line) => line.indexOf("=") > 0).join("\n");
}
