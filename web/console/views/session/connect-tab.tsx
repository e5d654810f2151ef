import { useState } from "preact/hooks";
import { CodeBlock, CopyButton } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { DocLink, Section } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { connectSnippets, maskToken } from "../sessions/snippets.ts";
import type { PanelProps } from "./panel.ts";

/** How to connect to a session: code to paste, and its URLs. */
export function ConnectTab({ session }: PanelProps) {
  const [selected, setSelected] = useState("playwright");
  const snippets = connectSnippets(session);
  const code = snippets.find(({ id }) => id === selected)?.code ?? "";
  const urls = [
    ["DevTools", session.cdp_ws_url],
    ["WebDriver BiDi", session.webdriver_ws_url],
    ["Live view", session.browser_live_view_url],
  ] as const;
  return (
    <div class="panel">
      <Tabs label="Tools" items={snippets} selected={selected} onSelect={setSelected}>
        <CodeBlock code={code} shown={maskToken(code)} what="the code with its token" />
      </Tabs>
      <p class="hint">
        {selected === "selenium"
          ? "Selenium reaches an open session over WebDriver BiDi. "
          : "Disconnecting does not end the session. "}
        <DocLink page={selected === "selenium" ? "webdriver" : "sessions"}>More about connecting</DocLink>
      </p>
      <Section title="URLs">
        <p class="hint">
          Anyone with one of these URLs can control the session until it ends or they are revoked: treat them
          as secrets.
        </p>
        <Facts
          facts={urls.map(([name, url]) => [
            name,
            url && (
              <span class="copy-text">
                <code>{maskToken(url)}</code>
                <CopyButton text={url} what={`the ${name} URL`} />
              </span>
            ),
          ])}
        />
      </Section>
    </div>
  );
}
