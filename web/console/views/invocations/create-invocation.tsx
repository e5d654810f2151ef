import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useProjects } from "../../app/projects.tsx";
import { useQuery } from "../../app/query.ts";
import { CodeBlock } from "../../ui/copy.tsx";
import { Form, type FormValues, SelectField, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { loadApps } from "../apps/apps.ts";
import { DeployButton } from "../deployments/deploy-button.tsx";
import { KEY, quoteForShell } from "../sessions/snippets.ts";
import { indentJSON } from "./indent-json.ts";

const PARTS = ["app_name", "version", "action_name"] as const;

type Target = Pick<Schemas["Invocation"], (typeof PARTS)[number]>;

const SECONDS = 900;

/** The query names an app, a version and an action, or an invocation to run again. */
export function CreateInvocation() {
  const [{ from, app, version, action }] = useQuery();
  const resource = useLoad(`/invocations/new ${from}`, async (signal) => {
    const params = { path: { id: from ?? "" } };
    const before =
      from === undefined ? undefined : await read(api.GET("/invocations/{id}", { params, signal }));
    const wanted: Partial<Target> = before ?? { app_name: app, version, action_name: action };
    const targets = (await loadApps(signal)).flatMap(({ app_name, version, actions }) =>
      actions.map(({ name }): Target => ({ app_name, version, action_name: name })),
    );
    const found = targets.find((target) =>
      PARTS.every((part) => wanted[part] === undefined || wanted[part] === target[part]),
    );
    return { targets, target: found ?? targets[0], isFound: found !== undefined, payload: before?.payload };
  });
  return (
    <Page title="New invocation" parent={{ href: "/console/invocations", label: "Invocations" }}>
      <Loaded resource={resource} lines={8}>
        {({ target, isFound, ...loaded }) =>
          target === undefined ? (
            <Empty title="No actions are deployed" action={<DeployButton />} />
          ) : (
            <>
              {!isFound && <p class="problem">That action is not currently deployed. Choose another one.</p>}
              <InvocationForm {...loaded} target={target} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function nameOf(target: Target): string {
  return PARTS.map((part) => target[part]).join(" · ");
}

interface InvocationFormProps {
  targets: readonly Target[];
  /** The one that is chosen at first. */
  target: Target;
  payload?: string;
}

function InvocationForm({ targets, target, payload = "" }: InvocationFormProps) {
  const { route } = useLocation();
  const { chosen } = useProjects();
  const [text] = useState(() => indentJSON(payload));
  const toCall = (action: string, payload: string, seconds = SECONDS) => ({
    ...(targets.find((each) => nameOf(each) === action) ?? target),
    ...(payload.trim() !== "" && { payload: payload.trim() }),
    async: true,
    async_timeout_seconds: seconds,
  });
  const readCall = (values: FormValues) =>
    toCall(values.text("action_name"), values.text("payload"), values.number("async_timeout_seconds"));
  const [call, setCall] = useState(() => toCall(nameOf(target), text));
  const submit = async (values: FormValues) => {
    const body = readCall(values);
    if (body.payload !== undefined) values.json("payload");
    const { id } = await read(api.POST("/invocations", { body }));
    route(`/console/invocations/${id}`);
  };
  return (
    <div class="columns">
      <Section title="Action and input">
        <Form submit={submit} onChange={(values) => setCall(readCall(values))} label="Invoke">
          <SelectField
            label="Action"
            name="action_name"
            hint="The app, its version, and the action."
            value={nameOf(target)}
            options={targets.map(nameOf).map((name) => [name, name])}
          />
          <TextField
            label="Payload"
            name="payload"
            hint="JSON that the action receives as its input. Empty: none."
            rows={10}
            value={text}
          />
          <TextField label="Limit in seconds" name="async_timeout_seconds" type="number" value={SECONDS} />
        </Form>
      </Section>
      <Section title="The same call in curl">
        <CodeBlock code={toCurl(call, chosen)} what="the call" />
        <p class="hint">Set {KEY} to an API key of this organization.</p>
      </Section>
    </div>
  );
}

/** A call as a command. The key comes from the environment. */
function toCurl(call: object, projectId: string | undefined): string {
  return [
    `curl ${quoteForShell(`${location.origin}/invocations`)}`,
    `-H "authorization: Bearer $${KEY}"`,
    `-H 'content-type: application/json'`,
    ...(projectId === undefined ? [] : [`-H ${quoteForShell(`x-kernel-project-id: ${projectId}`)}`]),
    `-d ${quoteForShell(JSON.stringify(call, null, 2))}`,
  ].join(" \\\n  ");
}
