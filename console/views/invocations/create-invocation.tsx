import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { CodeBlock } from "../../ui/copy.tsx";
import { Checkbox, Form, parseJSON, SelectField, TextArea, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type App, choicesFor, completeTarget, loadApps, type Target } from "../apps/app-choices.ts";
import { type Call, toCurl, toSDK } from "./call-code.ts";
import { indentJSON } from "./indent-json.ts";

const PARTS = [
  ["app", "App", "app_name"],
  ["version", "Version", "version"],
  ["action", "Action", "action_name"],
] as const;

const LANGUAGES = [
  { id: "curl", label: "curl", toCode: toCurl },
  { id: "sdk", label: "TypeScript SDK", toCode: toSDK },
] as const;

/** The query names an app, a version and an action, or an invocation to change. */
export function CreateInvocation() {
  const [{ from, app, version, action }] = useQuery();
  const resource = useLoad(`/invocations/new ${from}`, async (signal) => {
    const apps = await loadApps(signal);
    if (from === undefined) return { apps, wanted: { app, version, action }, payload: "" };
    const before = await read(api.GET("/invocations/{id}", { params: { path: { id: from } }, signal }));
    const wanted = { app: before.app_name, version: before.version, action: before.action_name };
    return { apps, wanted, payload: before.payload ?? "" };
  });
  return (
    <Page title="New invocation" parent={{ href: "/console/invocations", label: "Invocations" }}>
      <Loaded resource={resource} lines={8}>
        {(loaded) =>
          loaded.apps.length === 0 ? (
            <Empty
              title="No app is deployed"
              action={<a href="/console/deployments?deploy=1">Deploy an app</a>}
            />
          ) : (
            <InvocationForm {...loaded} />
          )
        }
      </Loaded>
    </Page>
  );
}

function InvocationForm({
  apps,
  wanted,
  payload,
}: {
  apps: readonly App[];
  wanted: Target;
  payload: string;
}) {
  const { route } = useLocation();
  const [chosen, setChosen] = useState(wanted);
  const [text, setText] = useState(() => indentJSON(payload));
  const [isAsync, setAsync] = useState(true);
  const [seconds, setSeconds] = useState("900");
  const target = completeTarget(apps, chosen);
  const choices = choicesFor(apps, target);
  const missing = PARTS.flatMap(([part]) => (chosen[part] === target[part] ? [] : (chosen[part] ?? [])));
  const call: Call = {
    app_name: target.app,
    action_name: target.action,
    version: target.version,
    ...(text.trim() !== "" && { payload: text.trim() }),
    ...(isAsync && { async: true, async_timeout_seconds: Number(seconds) }),
  };
  const submit = async () => {
    if (call.payload !== undefined) parseJSON(call.payload, "payload");
    const { id } = await read(api.POST("/invocations", { body: call }));
    route(`/console/invocations/${id}`);
  };
  return (
    <div class="columns">
      <Section title="Action and input">
        {missing.length > 0 && <p class="problem">Not deployed now: {missing.join(", ")}</p>}
        <Form submit={submit} label="Invoke">
          {PARTS.map(([part, label, name]) => (
            <SelectField
              key={part}
              {...{ label, name }}
              value={target[part]}
              options={choices[part].map((value) => [value, value] as const)}
              onChange={(value) => setChosen(completeTarget(apps, { ...target, [part]: value }))}
            />
          ))}
          <TextArea
            label="Payload"
            name="payload"
            hint="JSON, which the action gets as its input. Empty: none."
            rows={10}
            value={text}
            onChange={setText}
          />
          <Checkbox
            label="Do not wait for the end (async)"
            hint="A call that waits ends after 100 seconds at most, and its invocation with it."
            value={isAsync}
            onChange={setAsync}
          />
          {isAsync && (
            <TextField
              label="Time limit in seconds"
              name="async_timeout_seconds"
              type="number"
              value={seconds}
              onChange={setSeconds}
            />
          )}
        </Form>
      </Section>
      <CallCode call={call} />
    </div>
  );
}

function CallCode({ call }: { call: Call }) {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]["id"]>("curl");
  return (
    <Section title="The same call as code">
      <Tabs label="Language" items={LANGUAGES} selected={language} onSelect={setLanguage}>
        {LANGUAGES.map(
          ({ id, toCode }) =>
            id === language && <CodeBlock key={id} code={toCode(location.origin, call)} what="the call" />,
        )}
      </Tabs>
      <p class="hint">Set KERNEL_API_KEY to an API key of this organization.</p>
    </Section>
  );
}
