import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton, ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NameButton } from "../../ui/name-dialog.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { destinationOf, type ProxyData, typeName } from "./proxy.ts";
import { ProxyChecks } from "./proxy-checks.tsx";
import { ProxyStatus } from "./proxy-list.tsx";

const REFRESH_MS = 15_000;

export function ProxyView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id } };
  const proxy = useLoad(`/proxies/${id}`, (signal) => read(api.GET("/proxies/{id}", { params, signal })), {
    refreshMs: REFRESH_MS,
  });
  const checks = useLoad(
    `/proxies/${id}/checks`,
    (signal) =>
      read(api.GET("/proxies/{id}/checks", { params: { ...params, query: { limit: 100 } }, signal })),
    { refreshMs: REFRESH_MS },
  );
  const reload = () => {
    proxy.reload();
    checks.reload();
  };
  const { data } = proxy;
  return (
    <Page
      title={data === undefined ? "Proxy" : nameOf(data)}
      status={data && <ProxyStatus status={data.status} />}
      parent={{ href: "/console/proxies", label: "Proxies" }}
      actions={data && <Actions proxy={data} reload={reload} />}
    >
      <Loaded resource={proxy}>
        {(data) => (
          <>
            <div class="columns">
              <Section title="Proxy">
                <ProxyFacts proxy={data} />
              </Section>
              <Section title="Check an address">
                <AddressCheck id={data.id} />
              </Section>
            </div>
            <Section title="Checks">
              <Loaded resource={checks}>{(list) => <ProxyChecks checks={list} />}</Loaded>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function nameOf({ name, id }: ProxyData): string {
  return name ?? id;
}

function Actions({ proxy, reload }: { proxy: ProxyData; reload: () => void }) {
  const { route } = useLocation();
  const params = { path: { id: proxy.id } };
  const check = async () => {
    const { status } = await read(api.POST("/proxies/{id}/check", { params, body: {} }));
    const isAvailable = status === "available";
    showToast(isAvailable ? "The check succeeded." : "The check failed.", isAvailable ? "good" : "bad");
    reload();
  };
  const rename = async (name: string) => {
    await read(api.PATCH("/proxies/{id}", { params, body: { name } }));
    showToast(`The proxy is now named “${name}”.`);
    reload();
  };
  const remove = async () => {
    await read(api.DELETE("/proxies/{id}", { params }));
    showToast(`The proxy “${nameOf(proxy)}” was deleted.`);
    route("/console/proxies");
  };
  return (
    <>
      <ActionButton kind="primary" action={check}>
        Check now
      </ActionButton>
      <NameButton
        title={`Rename the proxy “${nameOf(proxy)}”`}
        confirm="Rename"
        initial={proxy.name}
        submit={rename}
      >
        Rename
      </NameButton>
      <ConfirmButton
        question={`Delete the proxy “${nameOf(proxy)}”?`}
        consequence="Running sessions keep it. New sessions, and pools that select it, fail."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
}

function ProxyFacts({ proxy }: { proxy: ProxyData }) {
  const { config } = proxy;
  const isCustom = proxy.type === "custom";
  return (
    <>
      {!isCustom && proxy.status === "unavailable" && (
        <p class="hint">
          If its checks never succeed, the operator may have configured no gateway for this type.
        </p>
      )}
      <Facts
        facts={[
          ["Id", <CopyText key="id" text={proxy.id} what="the proxy's id" />],
          ["Type", typeName(proxy.type)],
          [isCustom ? "Host" : "Location", destinationOf(proxy)],
          ["Protocol", proxy.protocol],
          ["User name", config.username],
          ["Password", isCustom && (config.has_password ? "Stored, never shown" : "None")],
          ["Hosts without it", proxy.bypass_hosts.join(", ") || "None"],
          ["Egress IP", proxy.ip_address],
          ["Last check", <Time key="check" at={proxy.last_checked} />],
          [
            "Sessions",
            <a key="sessions" href={`/console/sessions?status=all&proxy_id=${proxy.id}`}>
              All with this proxy
            </a>,
          ],
        ]}
      />
    </>
  );
}

function AddressCheck({ id }: { id: string }) {
  const [url, setURL] = useState("https://");
  const [result, setResult] = useState<{ url: string; status: ProxyData["status"] }>();
  const submit = async () => {
    setResult(undefined);
    const { status } = await read(
      api.POST("/proxies/{id}/check", { params: { path: { id } }, body: { url } }),
    );
    setResult({ url, status });
  };
  return (
    <Form submit={submit} label="Check">
      <TextField
        label="URL"
        name="url"
        hint="Tries to reach it through the proxy. Redirects are not followed, and the status above stays as it is."
        value={url}
        onChange={setURL}
      />
      <p role="status">
        {result !== undefined && (
          <>
            <ProxyStatus status={result.status} /> {result.url}{" "}
            {result.status === "available" ? "can be reached." : "cannot be reached."}
          </>
        )}
      </p>
    </Form>
  );
}
