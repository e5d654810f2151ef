import { describe, expect, it } from "vitest";
import { NetworkFailedError } from "../../../src/platform/network/network-error.ts";
import { isLocalName, newResolveName, resolveName } from "../../../src/platform/network/resolve.ts";

function notFound(): Promise<never> {
  return Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }));
}

describe("isLocalName", () => {
  it.each([
    "localhost",
    "LOCALHOST",
    "app.localhost",
    "printer.local",
    "metadata.google.internal",
    "metadata",
    "router.home.arpa",
    "intra.corp",
    "nas.lan",
    "host.docker.internal",
    "self.workers.alt",
    "home",
  ])("accepts %s", (name) => {
    expect(isLocalName(name)).toBe(true);
  });

  it.each(["example.com", "localhost.example.com", "notlocal.example", "mylocal.net", "internal.example"])(
    "rejects %s",
    (name) => {
      expect(isLocalName(name)).toBe(false);
    },
  );
});

describe("name resolution", () => {
  it("returns the addresses of both families, without the names of a CNAME chain", async () => {
    const resolve = newResolveName({
      lookups: [async () => ["edge.cdn.example.", "192.0.2.1", "192.0.2.2"], async () => ["2001:db8::1"]],
    });
    expect(await resolve("www.example.com")).toEqual(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
  });

  it("accepts a name with addresses of one family", async () => {
    expect(await newResolveName({ lookups: [notFound, async () => ["2001:db8::1"]] })("v6.example")).toEqual([
      "2001:db8::1",
    ]);
  });

  it.each([
    ["an unknown name", [notFound, notFound]],
    ["a CNAME without an address", [async () => ["edge.cdn.example."], notFound]],
    ["a failed lookup of one family", [async () => ["192.0.2.1"], () => Promise.reject(new Error("no"))]],
  ])("fails for %s", async (_, lookups) => {
    const failure = newResolveName({ lookups })("www.example.com");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "unresolved",
      message: "Could not resolve host: www.example.com",
    });
  });

  it("fails after its timeout", async () => {
    const never = () => new Promise<never>(() => {});
    await expect(newResolveName({ lookups: [never], timeoutMs: 20 })("slow.example")).rejects.toMatchObject({
      reason: "unresolved",
    });
  });

  it("fails clearly for a reserved name with the platform's resolver", async () => {
    // RFC 6761 reserves .invalid, so that it never resolves, with or without a network.
    await expect(resolveName("berth.invalid")).rejects.toMatchObject({ reason: "unresolved" });
  });
});
