import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, type RequestBody, read } from "../../api/client.ts";
import { Form, type FormValues, SelectField, TextField } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type ProxyType, TYPES } from "./proxy.ts";

interface ConfigField {
  name: string;
  label: string;
  hint?: string;
  type?: "number" | "password";
}

const HOST: readonly ConfigField[] = [
  { name: "host", label: "Host", hint: "Such as proxy.example.com, without scheme or port." },
  { name: "port", label: "Port", type: "number" },
  { name: "username", label: "User name" },
  { name: "password", label: "Password", hint: "Stored encrypted, and never shown.", type: "password" },
];

const LOCATION: readonly ConfigField[] = [
  { name: "country", label: "Country", hint: "Two-letter code, such as US." },
  { name: "state", label: "State", hint: "US only: two-letter code, such as CA." },
  { name: "city", label: "City", hint: "Lower case without spaces, such as sanfrancisco." },
  { name: "zip", label: "ZIP code", hint: "US only, without city or state." },
  { name: "asn", label: "Autonomous system", hint: "Such as AS7922, without city or state." },
];

const FIELDS: Record<ProxyType, readonly ConfigField[]> = {
  custom: HOST,
  datacenter: LOCATION.slice(0, 1),
  isp: LOCATION.slice(0, 1),
  residential: LOCATION,
  mobile: LOCATION.slice(0, 3),
};

export function CreateProxy() {
  const { route } = useLocation();
  const [type, setType] = useState<ProxyType>("custom");
  const submit = async (values: FormValues) => {
    const { id, status } = await read(api.POST("/proxies", { body: toBody(type, values) }));
    if (status === "available") showToast("The proxy was created.");
    else showToast("The proxy was created, but its check failed.", "bad");
    route(`/console/proxies/${id}`);
  };
  return (
    <Page title="New proxy" parent={{ href: "/console/proxies", label: "Proxies" }}>
      <Form submit={submit} label="Create and check">
        <TextField label="Name" name="name" hint="For display only. Optional." />
        <SelectField
          label="Type"
          name="type"
          hint={
            type === "custom"
              ? "A proxy that you run or rent."
              : "Uses a gateway of the operator. Without one, the proxy is unavailable."
          }
          options={TYPES}
          onChange={(chosen) => setType(TYPES.find(([value]) => value === chosen)?.[0] ?? type)}
        />
        {type === "custom" && (
          <SelectField
            label="Protocol"
            name="protocol"
            hint="Between browsers and the proxy itself."
            options={["http", "https"].map((protocol) => [protocol, protocol])}
          />
        )}
        {FIELDS[type].map(({ name, ...field }) => (
          <TextField key={name} {...field} name={`config.${name}`} autoComplete="new-password" />
        ))}
        <TextField
          label="Hosts that bypass the proxy"
          name="bypass_hosts"
          rows={3}
          hint="One per line, such as example.com or *.example.com."
        />
      </Form>
    </Page>
  );
}

function toBody(type: ProxyType, values: FormValues): RequestBody<"createProxy"> {
  const lines = values.text("bypass_hosts").split("\n");
  const shared = {
    name: values.optional("name"),
    bypass_hosts: lines.flatMap((line) => line.trim() || []),
  };
  const text = (field: string) => values.optional(`config.${field}`);
  if (type !== "custom") {
    const config = Object.fromEntries(FIELDS[type].map(({ name }) => [name, text(name)]));
    return { ...shared, type, config };
  }
  const config = {
    host: text("host") ?? "",
    port: values.number("config.port") ?? 0,
    username: text("username"),
    password: text("password"),
  };
  return { ...shared, type, protocol: values.text("protocol") === "https" ? "https" : "http", config };
}
