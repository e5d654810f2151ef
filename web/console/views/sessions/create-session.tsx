import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useProjects } from "../../app/projects.tsx";
import { useQuery } from "../../app/query.ts";
import { CodeBlock } from "../../ui/copy.tsx";
import { Checkbox, FormValues, TextField } from "../../ui/form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { showToast } from "../../ui/toast.tsx";
import { BrowserForm, changes, NEW_BROWSER, readBrowser } from "./browser-fields.tsx";
import { type FormQuery, formatSize, SIZES } from "./form-query.ts";
import { type CreateBody, connectURL, curlSample, typescriptSample } from "./samples.ts";
import { KEY } from "./snippets.ts";

const SAMPLES = [
  { id: "typescript", label: "TypeScript", write: typescriptSample },
  { id: "curl", label: "curl", write: curlSample },
  { id: "connect", label: "Connect URL", write: connectURL },
] as const;

export function CreateSession() {
  const { route } = useLocation();
  const [query] = useQuery();
  // The fields do not follow the address while they are edited.
  const [before] = useState(() => readQuery(query));
  const [body, setBody] = useState<CreateBody>(() => tryRead(before) ?? {});
  const submit = async (values: FormValues) => {
    const { session_id } = await read(api.POST("/browsers", { body: readSession(values) }));
    showToast("The session was created.");
    route(`/console/sessions/${session_id}`);
  };
  // While a tag is being typed, the code stays as it is.
  const show = (values: FormValues) => setBody((shown) => tryRead(values) ?? shown);
  return (
    <Page title="New session" parent={{ href: "/console/sessions", label: "Sessions" }}>
      <div class="create-session">
        <BrowserForm
          legend="Session"
          before={readBrowser(before)}
          submit={submit}
          onChange={show}
          profileOptions={
            <Checkbox label="Save changes to the profile when the session ends" name="save_changes" />
          }
        >
          <TextField label="Name" name="name" hint="Unique among active sessions. Optional." />
          <TextField
            label="Tags"
            name="tags"
            rows={2}
            value={before.text("tags")}
            hint="One key=value per line."
          />
        </BrowserForm>
        <Samples body={body} />
      </div>
    </Page>
  );
}

/** The fields as the address gives them, as for another session like one that has ended. */
function readQuery(query: FormQuery): FormValues {
  const data = new FormData();
  const { viewport, timeout_seconds } = NEW_BROWSER;
  const fields = { viewport: formatSize(viewport), timeout_seconds: String(timeout_seconds), ...query };
  for (const [name, value = ""] of Object.entries(fields)) data.append(name, value);
  return new FormValues(data);
}

function tryRead(values: FormValues): CreateBody | undefined {
  try {
    return readSession(values);
  } catch {
    return undefined;
  }
}

function readSession(values: FormValues): CreateBody {
  const session = { name: values.text("name"), tags: values.pairs("tags"), ...readBrowser(values) };
  const isUsual = SIZES.includes(formatSize(session.viewport));
  return {
    ...changes(session, { name: "", tags: {}, ...NEW_BROWSER }),
    ...(!isUsual && { viewport_mode: "any" }),
  };
}

function Samples({ body }: { body: CreateBody }) {
  const [selected, setSelected] = useState<(typeof SAMPLES)[number]["id"]>("typescript");
  const { chosen } = useProjects();
  const { write } = SAMPLES.find(({ id }) => id === selected) ?? SAMPLES[0];
  return (
    <Section title="The same in code">
      <Tabs label="Languages" items={SAMPLES} selected={selected} onSelect={setSelected}>
        <CodeBlock code={write(body, location.origin, chosen)} what="the code" />
      </Tabs>
      <p class="hint">
        {KEY} is a key of your organization. Any DevTools client can use the connect URL: connecting creates
        the session, and disconnecting ends it. Without headers, the URL acts in the project of its key.
      </p>
    </Section>
  );
}
