import { useLoad } from "../../api/hooks.ts";
import { ActionButton } from "../../ui/button.tsx";
import { Form, invalid, TextField } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { withScheme } from "../sessions/form-query.ts";
import { listTabs, sendCommand } from "./devtools.ts";
import { Address } from "./event-details.tsx";
import { toRow } from "./events.ts";
import type { PanelProps } from "./panel.ts";

const REFRESH_MS = 3000;

/** The tabs of the browser, or those that it had last. */
export function PageTabs({ session, isActive }: PanelProps) {
  if (isActive) return <OpenTabs id={session.session_id} cdpURL={session.cdp_ws_url} />;
  const tabs = session.evidence?.tabs ?? [];
  if (tabs.length === 0) return <Empty title="No known tabs" />;
  return (
    <div class="panel">
      <p class="hint">The tabs that were open at the end.</p>
      {tabs.map((tab, index) => (
        <div key={`${index} ${tab.url}`} class="section">
          <TabText {...tab} />
        </div>
      ))}
    </div>
  );
}

function TabText({ title, url }: { title: string; url: string }) {
  return (
    <div class="page-tab-text">
      <strong>{toRow(title) || "No title"}</strong>
      <Address url={url} />
    </div>
  );
}

function OpenTabs({ id, cdpURL }: { id: string; cdpURL: string }) {
  const tabs = useLoad(`tabs ${id}`, (signal) => listTabs(cdpURL, signal), { refreshMs: REFRESH_MS });
  const command = async (method: string, params: object) => {
    await sendCommand(cdpURL, method, params);
    tabs.reload();
  };
  return (
    <div class="panel">
      <Form
        submit={(values) => command("Target.createTarget", { url: toAddress(values.text("url")) })}
        label="Open in a new tab"
      >
        <TextField label="Address" name="url" placeholder="example.com" />
      </Form>
      <Loaded resource={tabs}>
        {(list) =>
          list.map(({ id: targetId, title, url }) => (
            <div key={targetId} class="section">
              <TabText title={title} url={url} />
              <div class="row-actions">
                <ActionButton
                  label={`Bring to front: ${toRow(title || url)}`}
                  action={() => command("Target.activateTarget", { targetId })}
                >
                  Bring to front
                </ActionButton>
                <ActionButton
                  label={`Close ${toRow(title || url)}`}
                  disabled={list.length === 1}
                  title={list.length === 1 ? "The last tab cannot be closed" : undefined}
                  action={() => command("Target.closeTarget", { targetId })}
                >
                  Close
                </ActionButton>
              </div>
            </div>
          ))
        }
      </Loaded>
    </div>
  );
}

/** @throws APIError beside the field. */
function toAddress(text: string): string {
  const address = withScheme(text);
  if (URL.canParse(address)) return address;
  throw invalid("url", "must be an address such as https://example.com");
}
