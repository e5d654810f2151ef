import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { findConnectTarget, withConnection } from "../../../src/features/proxies/proxy-connection.ts";
import { readBrowserProxy, requireProxy } from "../../../src/features/proxies/select-proxy.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { Deadline } from "../../../src/platform/network/deadline.ts";
import { NetworkFailedError } from "../../../src/platform/network/network-error.ts";
import { newClient, useNewClient } from "../../api.ts";
import { createProxy, readProxyRow } from "./proxies.ts";

const client = useNewClient();
afterEach(() => {
  env.ALLOW_PRIVATE_ADDRESSES = "false";
  env.PROXY_UPSTREAM_RESIDENTIAL = undefined;
});

function badRequest(message: string | RegExp) {
  const expected = typeof message === "string" ? `proxy_id: ${message}` : expect.stringMatching(message);
  return expect.objectContaining({ code: "bad_request", message: expected });
}

async function createPrivateProxy(fields: object, config: object = {}): Promise<string> {
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  const body = { type: "custom", ...fields, config: { host: "127.0.0.1", port: 1, ...config } };
  return (await createProxy(client, body)).id;
}

describe("requireProxy and readBrowserProxy", () => {
  it("find only the organization's own proxies", async () => {
    const id = await createPrivateProxy({});
    expect(await requireProxy(env, { organizationId: client.organizationId, projectId: "" }, id)).toEqual(
      await readProxyRow(id),
    );
    const otherClient = await newClient();
    for (const [organizationId, proxyId] of [
      [otherClient.organizationId, id],
      [client.organizationId, newIdentifier()],
      [client.organizationId, ""],
    ] as const) {
      for (const select of [requireProxy, readBrowserProxy]) {
        await expect(select(env, { organizationId, projectId: "" }, proxyId)).rejects.toEqual(
          badRequest("proxy not found"),
        );
      }
    }
  });

  it("reject a deleted proxy for new sessions, and keep it for current ones", async () => {
    const id = await createPrivateProxy({});
    const before = await readBrowserProxy(env, { organizationId: client.organizationId, projectId: "" }, id);
    await client.delete(`/proxies/${id}`);
    await expect(
      requireProxy(env, { organizationId: client.organizationId, projectId: "" }, id),
    ).rejects.toEqual(badRequest("proxy not found"));
    expect(await readBrowserProxy(env, { organizationId: client.organizationId, projectId: "" }, id)).toEqual(
      before,
    );
  });

  it.each(["datacenter", "isp", "residential", "mobile"])(
    "name the missing upstream of type %s",
    async (type) => {
      const { id } = await createProxy(client, { type });
      const setting = `PROXY_UPSTREAM_${type.toUpperCase()}`;
      for (const select of [requireProxy, readBrowserProxy]) {
        await expect(
          select(env, { organizationId: client.organizationId, projectId: "" }, id),
        ).rejects.toEqual(
          badRequest(`there is no upstream for proxies of type ${type}: the operator has not set ${setting}`),
        );
      }
    },
  );
});

describe("readBrowserProxy", () => {
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
  ])("reads %j with %j as %j", async (fields, config, expected) => {
    const id = await createPrivateProxy(fields, config);
    expect(await readBrowserProxy(env, { organizationId: client.organizationId, projectId: "" }, id)).toEqual(
      { bypassHosts: [], ...expected },
    );
  });

  it("fails when the password cannot be decrypted", async () => {
    const id = await createPrivateProxy({}, { username: "u", password: "secret" });
    const rotated = { ...env, ENCRYPTION_KEY: "another key" };
    await expect(
      readBrowserProxy(rotated, { organizationId: client.organizationId, projectId: "" }, id),
    ).rejects.toMatchObject({
      code: "internal_error",
      message: expect.stringContaining("ENCRYPTION_KEY_PREVIOUS"),
    });
  });

  it("returns the upstream's server and credentials", async () => {
    env.PROXY_UPSTREAM_RESIDENTIAL =
      "http://acme[-cc-{country}][-city-{city}][-as-{asn}]-sess-{session}:gateway-secret@127.0.0.1:1";
    const { id } = await createProxy(client, {
      type: "residential",
      protocol: "https",
      config: { country: "US", asn: "AS7922" },
      bypass_hosts: ["a.example"],
    });
    expect((await requireProxy(env, { organizationId: client.organizationId, projectId: "" }, id)).id).toBe(
      id,
    );
    expect(await readBrowserProxy(env, { organizationId: client.organizationId, projectId: "" }, id)).toEqual(
      {
        server: "http://127.0.0.1:1",
        bypassHosts: ["a.example"],
        credentials: { username: `acme-cc-us-as-7922-sess-${id}`, password: "gateway-secret" },
      },
    );
  });

  it("rejects a private host unless private addresses are allowed", async () => {
    const id = await createPrivateProxy({});
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    await expect(
      readBrowserProxy(env, { organizationId: client.organizationId, projectId: "" }, id),
    ).rejects.toEqual(badRequest(/^proxy_id: .*127\.0\.0\.1 is a private address$/));
  });
});

describe("proxy connections", () => {
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

  it("use the checked addresses, so that the name cannot be rebound", async () => {
    expect(await target("proxy.example")).toEqual({
      hosts: ["93.184.215.14", "93.184.215.15", "2606:2800::1"],
      port: 3128,
      isSecure: false,
    });
  });

  it("use the name over TLS, which proves it", async () => {
    expect(await target("proxy.example", { protocol: "https" })).toEqual({
      hosts: ["proxy.example"],
      port: 3128,
      isSecure: true,
    });
  });

  it("can go to the operator's private hosts", async () => {
    expect((await target("gateway.internal", { isUserDefined: false })).hosts).toEqual(["gateway.internal"]);
  });

  it.each(["rebound.example", "127.0.0.1", "::1", "localhost", "unknown.example"])(
    "are refused to %s",
    async (host) => {
      for (const protocol of ["http", "https"] as const) {
        await expect(target(host, { protocol })).rejects.toThrow();
      }
    },
  );

  it("fail with a network error", async () => {
    const deadline = new Deadline(5000);
    const target = { hosts: ["not a host", "127.0.0.1"], port: 1, isSecure: false };
    const use = () => Promise.reject(new Error("connected unexpectedly"));
    await expect(withConnection(target, deadline, use)).rejects.toThrow(NetworkFailedError);
    deadline.clear();
  });
});
