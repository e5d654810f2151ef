import { useState } from "preact/hooks";
import { APIError } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { listTabs, type OpenTab, sendCommand } from "./devtools.ts";
import { toLink, toRow } from "./events.ts";
import type { PanelProps } from "./panel.ts";

const REFRESH_MS = 3000;

/** The tabs of the browser, or those that it had last. */
export function PageTabs({ session, isActive }: PanelProps) {
  if (isActive) return <OpenTabs id={session.session_id} cdpURL={session.cdp_ws_url} />;
  const tabs = session.evidence?.tabs ?? [];
  return (
    <div class="panel">
      <p class="hint">The tabs that were open at the end.</p>
      {tabs.length === 0 ? <Empty title="No tabs are known" /> : <TabTexts tabs={tabs} />}
    </div>
  );
}

function TabTexts({ tabs }: { tabs: readonly { title: string; url: string }[] }) {
  return (
    <ul class="page-tabs">
      {tabs.map((tab, index) => (
        <li key={`${index} ${tab.url}`} class="section">
          <TabText tab={tab} />
        </li>
      ))}
    </ul>
  );
}

function TabText({ tab: { title, url } }: { tab: { title: string; url: string } }) {
  const link = toLink(url);
  return (
    <div class="page-tab-text">
      <strong>{toRow(title) || "No title"}</strong>
      {link === undefined ? (
        <span class="dim">{toRow(url)}</span>
      ) : (
        <a href={link} target="_blank" rel="noreferrer">
          {toRow(url)}
        </a>
      )}
    </div>
  );
}

function OpenTabs({ id, cdpURL }: { id: string; cdpURL: string }) {
  const [address, setAddress] = useState("");
  const tabs = useLoad(`tabs ${id}`, (signal) => listTabs(cdpURL, signal), { refreshMs: REFRESH_MS });
  const command = async (method: string, params: object) => {
    await sendCommand(cdpURL, method, params);
    tabs.reload();
  };
  const open = async () => {
    await command("Target.createTarget", { url: toAddress(address) });
    setAddress("");
  };
  return (
    <div class="panel">
      <Form submit={open} label="Open in a new tab">
        <TextField label="Address" name="url" value={address} onChange={setAddress} placeholder="https://" />
      </Form>
      <Loaded resource={tabs}>
        {(list) => (
          <ul class="page-tabs">
            {list.map((tab) => (
              <li key={tab.id} class="section">
                <TabText tab={tab} />
                <TabActions tab={tab} command={command} isLast={list.length === 1} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

interface TabActionsProps {
  tab: OpenTab;
  command: (method: string, params: object) => Promise<void>;
  isLast: boolean;
}

function TabActions({ tab: { id, title, url }, command, isLast }: TabActionsProps) {
  const name = toRow(title || url);
  return (
    <div class="row-actions">
      <ActionButton
        label={`Bring to front: ${name}`}
        action={() => command("Target.activateTarget", { targetId: id })}
      >
        Bring to front
      </ActionButton>
      <ActionButton
        label={`Close ${name}`}
        disabled={isLast}
        title={isLast ? "The last tab stays open" : undefined}
        action={() => command("Target.closeTarget", { targetId: id })}
      >
        Close
      </ActionButton>
    </div>
  );
}

/** @throws APIError beside the field. */
function toAddress(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[\w.-]+:\d/.test(text) ? text : `https://${text}`;
  if (text.trim() !== "" && URL.canParse(address)) return address;
  throw new APIError(0, "invalid_input", "Enter an address.", {
    url: "must be an address such as https://example.com",
  });
}
