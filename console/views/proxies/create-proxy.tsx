import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { Form, SelectField, TextArea, TextField } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { CONFIG_FIELDS, type ConfigField, type ProxyForm, TYPES, toCreateProxy } from "./proxy.ts";

const PROTOCOLS = [
  ["http", "http"],
  ["https", "https"],
] as const;

const FIELDS: Record<ConfigField, { label: string; hint?: string; type?: "number" | "password" }> = {
  host: { label: "Host", hint: "Such as proxy.example.com, without scheme and port." },
  port: { label: "Port", type: "number" },
  username: { label: "User name" },
  password: { label: "Password", hint: "Stored encrypted, and never shown.", type: "password" },
  country: { label: "Country", hint: "Code of two letters, such as US." },
  state: { label: "State", hint: "US only: code of two letters, such as CA." },
  city: { label: "City", hint: "In lower case without spaces, such as sanfrancisco." },
  zip: { label: "ZIP code", hint: "US only, without city and state." },
  asn: { label: "Autonomous system", hint: "Such as AS7922, without city and state." },
};

const EMPTY_FORM: ProxyForm = { type: "custom", name: "", protocol: "http", config: {}, bypassHosts: "" };

export function CreateProxy() {
  const { route } = useLocation();
  const [form, setForm] = useState(EMPTY_FORM);
  const change = (changes: Partial<ProxyForm>) => setForm((before) => ({ ...before, ...changes }));
  const isCustom = form.type === "custom";
  const submit = async () => {
    const { id, status } = await read(api.POST("/proxies", { body: toCreateProxy(form) }));
    if (status === "available") showToast("The proxy was created.");
    else showToast("The proxy was created, but its check failed.", "bad");
    route(`/console/proxies/${id}`);
  };
  return (
    <Page title="New proxy" parent={{ href: "/console/proxies", label: "Proxies" }}>
      <Form submit={submit} label="Create and check">
        <TextField
          label="Name"
          name="name"
          hint="For people to read. May be empty."
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <SelectField
          label="Type"
          name="type"
          hint={
            isCustom
              ? "A proxy that you run or rent."
              : "Uses a gateway of the operator. Without one, the proxy is unavailable."
          }
          options={TYPES}
          value={form.type}
          onChange={(type) => change({ type })}
        />
        {isCustom && (
          <SelectField
            label="Protocol"
            name="protocol"
            hint="Between browsers and the proxy itself."
            options={PROTOCOLS}
            value={form.protocol}
            onChange={(protocol) => change({ protocol })}
          />
        )}
        {CONFIG_FIELDS[form.type].map((field) => (
          <TextField
            key={field}
            {...FIELDS[field]}
            name={`config.${field}`}
            autoComplete="new-password"
            value={form.config[field] ?? ""}
            onChange={(value) => change({ config: { ...form.config, [field]: value } })}
          />
        ))}
        <TextArea
          label="Hosts without the proxy"
          name="bypass_hosts"
          rows={3}
          hint="One in each line, such as example.com or *.example.com."
          value={form.bypassHosts}
          onChange={(bypassHosts) => change({ bypassHosts })}
        />
      </Form>
    </Page>
  );
}
