import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { APIError, api, read, type Schemas } from "../../api/client.ts";
import { Form, TextField } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { Pool } from "./pool.ts";

const WAIT_SECONDS = 30;

/** Acquires a browser of a pool and leads to its session. Leaving the form stops waiting. */
export function AcquireForm({ pool }: { pool: Pool }) {
  const { route } = useLocation();
  const [name, setName] = useState("");
  const [startURL, setStartURL] = useState("");
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const acquire = async () => {
    const session: Schemas["BrowserSession"] | undefined = await read(
      api.POST("/browser_pools/{id_or_name}/acquire", {
        params: { path: { id_or_name: pool.id } },
        body: {
          name: name || undefined,
          start_url: startURL || undefined,
          acquire_timeout_seconds: WAIT_SECONDS,
        },
        signal: controller.current.signal,
      }),
    );
    if (session === undefined) {
      const message = `No browser became available within ${WAIT_SECONDS} seconds. Try again.`;
      throw new APIError(0, "timeout", message);
    }
    showToast("A browser was acquired.");
    route(`/console/sessions/${session.session_id}`);
  };
  return (
    <>
      {pool.available_count === 0 && (
        <p>No browser is available now. Acquiring waits up to {WAIT_SECONDS} seconds for one.</p>
      )}
      <Form submit={acquire} label="Acquire">
        <TextField
          label="Name of the session"
          name="name"
          hint="May be empty."
          value={name}
          onChange={setName}
        />
        <TextField
          label="Start URL"
          name="start_url"
          hint="Opened in the front tab. Empty: the tab stays as it is."
          value={startURL}
          onChange={setStartURL}
        />
      </Form>
    </>
  );
}
