import { useEffect, useState } from "preact/hooks";
import { api, read } from "../api/client.ts";
import type { ConsoleSession } from "../app/identity.ts";
import { Form, TextField } from "../ui/form.tsx";

const HEADERS = { "X-Berth-Console": "1" };

export function SignIn({ onSignedIn }: { onSignedIn: (session: ConsoleSession) => void }) {
  const [key, setKey] = useState("");
  useEffect(() => {
    document.title = "Sign in · Berth";
  }, []);
  const submit = async () => {
    onSignedIn(await read(api.POST("/console/session", { params: { header: HEADERS }, body: { key } })));
  };
  return (
    <main class="sign-in">
      <p class="brand">Berth</p>
      <h1>Sign in to the console</h1>
      <Form submit={submit} label="Sign in">
        <TextField
          label="API key"
          name="key"
          type="password"
          autoComplete="current-password"
          value={key}
          onChange={setKey}
          hint="An API key of your organization, or ADMIN_TOKEN as the operator. It is exchanged for a cookie and not stored."
        />
      </Form>
      <p class="hint">
        <a href="/docs/console">About the console</a>
      </p>
    </main>
  );
}
