import { useEffect } from "preact/hooks";
import { api, read } from "../api/client.ts";
import type { ConsoleSession } from "../app/identity.ts";
import { Form, type FormValues, TextField } from "../ui/form.tsx";

export function SignIn({ onSignedIn }: { onSignedIn: (session: ConsoleSession) => void }) {
  useEffect(() => {
    document.title = "Sign in · Berth";
  }, []);
  const submit = async (values: FormValues) => {
    const body = { key: values.text("key") };
    onSignedIn(await read(api.POST("/console/session", { body })));
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
          hint="An API key of your organization, or ADMIN_TOKEN if you are the operator. It is exchanged for a cookie and not stored."
        />
      </Form>
      <p class="hint">
        <a href="/docs/console">About the console</a>
      </p>
    </main>
  );
}
