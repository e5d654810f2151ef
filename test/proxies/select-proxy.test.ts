import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newIdentifier } from "../../src/common/identifiers.ts";
import { Deadline } from "../../src/network/deadline.ts";
import { NetworkFailedError } from "../../src/network/network-error.ts";
import { findConnectTarget, withConnection } from "../../src/proxies/proxy-connection.ts";
import { readBrowserProxy, requireProxy } from "../../src/proxies/select-proxy.ts";
import { type Client, newClient } from "../api.ts";
import { createProxy, readProxyRow } from "./proxies.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});
afterEach(() => {
  env.ALLOW_PRIVATE_ADDRESSES = "false";
  env.PROXY_UPSTREAM_RESIDENTIAL = undefined;
});

function refusal(message: string | RegExp) {
  const expected = typeof message === "string" ? `proxy_id: ${message}` : expect.stringMatching(message);
  return expect.objectContaining({ code: "bad_request", message: expected });
}

async function createPrivate(fields: object, config: object = {}): Promise<string> {
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  const body = { type: "custom", ...fields, config: { host: "127.0.0.1", port: 1, ...config } };
  return (await createProxy(client, body)).id;
}

describe("a selected proxy", () => {
  it("is the organization's own, and there", async () => {
    const id = await createPrivate({});
    expect(await requireProxy(env, client.organizationId, id)).toEqual(await readProxyRow(id));
    const stranger = await newClient();
    for (const [organizationId, proxyId] of [
      [stranger.organizationId, id],
      [client.organizationId, newIdentifier()],
      [client.organizationId, ""],
    ] as const) {
      for (const call of [requireProxy, readBrowserProxy]) {
        await expect(call(env, organizationId, proxyId)).rejects.toEqual(refusal("proxy not found"));
      }
    }
  });

  it("once deleted is selected no more, and stays with who has it", async () => {
    const id = await createPrivate({});
    const before = await readBrowserProxy(env, client.organizationId, id);
    await client.delete(`/proxies/${id}`);
    await expect(requireProxy(env, client.organizationId, id)).rejects.toEqual(refusal("proxy not found"));
    expect(await readBrowserProxy(env, client.organizationId, id)).toEqual(before);
  });

  it.each(["datacenter", "isp", "residential", "mobile"])(
    "of type %s names the missing upstream",
    async (type) => {
      const { id } = await createProxy(client, { type });
      const setting = `PROXY_UPSTREAM_${type.toUpperCase()}`;
      for (const call of [requireProxy, readBrowserProxy]) {
        await expect(call(env, client.organizationId, id)).rejects.toEqual(
          refusal(`there is no upstream for proxies of type ${type}: the operator has not set ${setting}`),
        );
      }
    },
  );
});

describe("a browser is told of a proxy", () => {
  it.each<[object, object, object]>([
    [{}, {}, { server: "https://127.0.0.1:1", bypassHosts: [] }],
    [{ protocol: "http" }, { host: "::1" }, { server: "http://[::1]:1", bypassHosts: [] }],
    [
      { protocol: "http", bypass_hosts: ["*.A.example"] },
      { username: "u", password: "pa:ss@ü" },
      {
        server: "http://127.0.0.1:1",
        bypassHosts: ["*.a.example"],
        credentials: { username: "u", password: "pa:ss@ü" },
      },
    ],
    [{}, { username: "u" }, { server: "https://127.0.0.1:1", credentials: { username: "u", password: "" } }],
  ])("of %j with %j: %j", async (fields, config, expected) => {
    const id = await createPrivate(fields, config);
    expect(await readBrowserProxy(env, client.organizationId, id)).toEqual({ bypassHosts: [], ...expected });
  });

  it("nothing, where its password cannot be decrypted any more", async () => {
    const id = await createPrivate({}, { username: "u", password: "secret" });
    const rotated = { ...env, ENCRYPTION_KEY: "another key" };
    await expect(readBrowserProxy(rotated, client.organizationId, id)).rejects.toMatchObject({
      code: "internal_error",
      message: expect.stringContaining("ENCRYPTION_KEY_PREVIOUS"),
    });
  });

  it("what its upstream wants", async () => {
    env.PROXY_UPSTREAM_RESIDENTIAL =
      "http://acme[-cc-{country}][-city-{city}][-as-{asn}]-sess-{session}:gateway-secret@127.0.0.1:1";
    const { id } = await createProxy(client, {
      type: "residential",
      protocol: "https",
      config: { country: "US", asn: "AS7922" },
      bypass_hosts: ["a.example"],
    });
    expect((await requireProxy(env, client.organizationId, id)).id).toBe(id);
    expect(await readBrowserProxy(env, client.organizationId, id)).toEqual({
      server: "http://127.0.0.1:1",
      bypassHosts: ["a.example"],
      credentials: { username: `acme-cc-us-as-7922-sess-${id}`, password: "gateway-secret" },
    });
  });

  it("nothing when its host is private and private addresses are not allowed", async () => {
    const id = await createPrivate({});
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    await expect(readBrowserProxy(env, client.organizationId, id)).rejects.toEqual(
      refusal(/^proxy_id: .*127\.0\.0\.1 is a private address$/),
    );
  });
});

describe("a proxy is connected to", () => {
  const ADDRESSES: Record<string, string[]> = {
    "proxy.example": ["93.184.215.14", "93.184.215.15", "2606:2800::1", "2606:2800::2"],
    "rebound.example": ["93.184.215.14", "10.0.0.1"],
  };

  function target(host: string, options: { protocol?: "http" | "https"; isUserDefined?: boolean } = {}) {
    return findConnectTarget(
      { protocol: "http", host, port: 3128, isUserDefined: true, ...options },
      {
        allowPrivateAddresses: false,
        resolve: async (name) => {
          const addresses = ADDRESSES[name];
          if (addresses === undefined)
            throw new NetworkFailedError("unresolved", `Could not resolve host: ${name}`);
          return addresses;
        },
      },
    );
  }

  it("at the addresses that were checked, so that its name cannot lead elsewhere afterwards", async () => {
    expect(await target("proxy.example")).toEqual({
      hosts: ["93.184.215.14", "93.184.215.15", "2606:2800::1"],
      port: 3128,
      isSecure: false,
    });
  });

  it("by its name where TLS proves that", async () => {
    expect(await target("proxy.example", { protocol: "https" })).toEqual({
      hosts: ["proxy.example"],
      port: 3128,
      isSecure: true,
    });
  });

  it("wherever the operator has it", async () => {
    expect((await target("gateway.internal", { isUserDefined: false })).hosts).toEqual(["gateway.internal"]);
  });

  it.each(["rebound.example", "127.0.0.1", "::1", "localhost", "unknown.example"])(
    "not at %s",
    async (host) => {
      for (const protocol of ["http", "https"] as const) {
        await expect(target(host, { protocol })).rejects.toThrow();
      }
    },
  );

  it("or not at all, which is a failure like others", async () => {
    const deadline = new Deadline(5000);
    const target = { hosts: ["not a host", "127.0.0.1"], port: 1, isSecure: false };
    const use = () => Promise.reject(new Error("nobody should be there"));
    await expect(withConnection(target, deadline, use)).rejects.toThrow(NetworkFailedError);
    deadline.clear();
  });
});
