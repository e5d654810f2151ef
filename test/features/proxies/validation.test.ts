import { describe, expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { createProxy } from "./proxies.ts";

const client = await newClient();

const CUSTOM = { host: "192.0.2.1", port: 3128 };

function custom(config: object): object {
  return { type: "custom", config: { ...CUSTOM, ...config } };
}

function residential(config: object): object {
  return { type: "residential", config };
}

function mobile(config: object): object {
  return { type: "mobile", config };
}

function isp(fields: object): object {
  return { type: "isp", ...fields };
}

describe("POST /proxies", () => {
  it.each<[string[], object]>([
    [["type"], {}],
    [["type"], { type: "satellite" }],
    [["type"], { type: null }],
    [["protocol"], isp({ protocol: "socks5" })],
    [["name"], isp({ name: "  " })],
    [["name"], isp({ name: "x".repeat(256) })],
    [["name"], isp({ name: 1 })],
    [["config"], { type: "custom" }],
    [["config"], { type: "custom", config: "proxy.example:80" }],
    [["config"], isp({ config: null })],
    [["config.host", "config.port"], { type: "custom", config: {} }],
    [["config.host"], custom({ host: "" })],
    [["config.host"], custom({ host: "http://proxy.example" })],
    [["config.host"], custom({ host: "proxy.example:3128" })],
    [["config.host"], custom({ host: "proxy.example/" })],
    [["config.host"], custom({ host: "a b" })],
    [["config.host"], custom({ host: `${"x".repeat(252)}.com` })],
    [["config.host"], custom({ host: "127.0.0.1" })],
    [["config.host"], custom({ host: "127.1" })],
    [["config.host"], custom({ host: "１２７.0.0.1" })],
    [["config.host"], custom({ host: "::ffff:10.0.0.1" })],
    [["config.host"], custom({ host: "LOCALHOST." })],
    [["config.host"], custom({ host: "db.internal" })],
    [["config.host"], custom({ host: "router" })],
    [["config.port"], custom({ port: 0 })],
    [["config.port"], custom({ port: 65_536 })],
    [["config.port"], custom({ port: 80.5 })],
    [["config.port"], custom({ port: "80" })],
    [["config.username"], custom({ username: "" })],
    [["config.username"], custom({ username: "a:b" })],
    [["config.username"], custom({ username: "a\r\nb" })],
    [["config.username"], custom({ username: "x".repeat(256) })],
    [["config.password"], custom({ password: "four" })],
    [["config.password"], custom({ password: "x".repeat(1025) })],
    [["config.password"], custom({ password: "pass\nword" })],
    [["config.ca_bundle"], custom({ ca_bundle: "-----BEGIN CERTIFICATE-----" })],
    [["config.country"], isp({ config: { country: "USA" } })],
    [["config.country"], { type: "datacenter", config: { country: "" } }],
    [["config.country"], residential({ country: "EU" })],
    [["config.country"], residential({ city: "austin" })],
    [["config.country"], residential({ zip: "78701" })],
    [["config.country"], residential({ asn: "AS7922" })],
    [["config.state"], residential({ country: "US", state: "Texas" })],
    [["config.state"], residential({ country: "DE", state: "BY" })],
    [["config.city"], residential({ country: "US", city: "San Francisco" })],
    [["config.city"], residential({ country: "US", city: "" })],
    [["config.zip"], residential({ country: "US", zip: "7870" })],
    [["config.zip"], residential({ country: "DE", zip: "10115" })],
    [["config.zip"], residential({ country: "US", zip: "78701", city: "austin" })],
    [["config.zip"], residential({ country: "US", zip: "78701", state: "TX" })],
    [["config.asn"], residential({ country: "US", asn: "7922" })],
    [["config.asn"], residential({ country: "US", asn: "AS7922", city: "austin" })],
    [["config.asn"], residential({ country: "US", asn: "AS7922", state: "TX" })],
    [["config.country"], mobile({ state: "TX" })],
    [["config.country"], mobile({ city: "austin" })],
    [["config.country"], mobile({ country: "EU" })],
    [["config.state"], mobile({ country: "GB", state: "TX" })],
    [["bypass_hosts"], isp({ bypass_hosts: "a.example" })],
    [["bypass_hosts"], isp({ bypass_hosts: Array.from({ length: 101 }, (_, i) => `h${i}.example`) })],
    [["bypass_hosts.1"], isp({ bypass_hosts: ["a.example", "http://b.example"] })],
    ...[
      "a.example:80",
      "a.example/path",
      "*",
      "*.",
      "*example",
      "a.*.example",
      "192.0.2.1",
      "[::1]",
      "::1",
      "<local>",
      "a,b",
      "a;b",
      "",
      " ",
      "-a.example",
      `${"x".repeat(250)}.com`,
    ].map((host): [string[], object] => [["bypass_hosts.0"], isp({ bypass_hosts: [host] })]),
  ])("reports %j as invalid in %j", async (fields, body) => {
    expect((await client.post("/proxies", body)).invalidFields).toEqual(fields);
  });
});

describe("a proxy's configuration", () => {
  it.each<[object, object]>([
    [{ type: "datacenter" }, { config: { country: "US" }, protocol: "https", bypass_hosts: [] }],
    [{ type: "isp", config: { country: "eu" } }, { config: { country: "EU" } }],
    [{ type: "isp", config: { country: "de", town: "x" } }, { config: { country: "DE" } }],
    [residential({}), { config: {} }],
    [{ type: "residential" }, { config: {} }],
    [
      residential({ country: "us", state: "ca", city: "sanfrancisco", os: "windows" }),
      { config: { country: "US", state: "CA", city: "sanfrancisco" } },
    ],
    [residential({ country: "US", zip: "94107" }), { config: { country: "US", zip: "94107" } }],
    [residential({ country: "DE", asn: "as3320" }), { config: { country: "DE", asn: "AS3320" } }],
    [
      mobile({ country: "US", state: "TX", city: "austin", zip: "78701" }),
      { config: { country: "US", state: "TX", city: "austin" } },
    ],
    [isp({ protocol: "http", name: " office " }), { protocol: "http", name: "office" }],
    [
      isp({ bypass_hosts: ["A.Example", "*.B.example", "a.example", "localhost", "bücher.example"] }),
      { bypass_hosts: ["a.example", "*.b.example", "localhost", "xn--bcher-kva.example"] },
    ],
  ])("%j becomes %j", async (body, expected) => {
    const proxy = await createProxy(client, body);
    expect(proxy).toMatchObject(expected);
    expect((await client.get(`/proxies/${proxy.id}`)).json).toEqual(proxy);
  });
});

describe("proxy updates and checks", () => {
  it("are validated", async () => {
    const { id } = await createProxy(client);
    for (const body of [{}, { name: "" }, { name: " " }, { name: null }, { name: "x".repeat(256) }]) {
      expect((await client.patch(`/proxies/${id}`, body)).invalidFields).toEqual(["name"]);
    }
    for (const url of [
      "",
      "shop.example",
      "ftp://shop.example/",
      "http://user@shop.example/",
      `http://shop.example/${"x".repeat(2048)}`,
      1,
      "http://127.0.0.1/",
      "https://localhost/",
      "http://[::1]/",
      "http://2130706433/",
      "http://metadata.google.internal/",
    ]) {
      expect((await client.post(`/proxies/${id}/check`, { url })).invalidFields, String(url)).toEqual([
        "url",
      ]);
    }
  });
});
