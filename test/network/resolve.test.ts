import { describe, expect, it } from "vitest";
import { NetworkFailedError } from "../../src/network/network-error.ts";
import { isLocalName, newResolveName, resolveName } from "../../src/network/resolve.ts";

function notFound(): Promise<never> {
  return Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }));
}

describe("names of private networks", () => {
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
  ])("%s is one", (name) => {
    expect(isLocalName(name)).toBe(true);
  });

  it.each(["example.com", "localhost.example.com", "notlocal.example", "mylocal.net", "internal.example"])(
    "%s is none",
    (name) => {
      expect(isLocalName(name)).toBe(false);
    },
  );
});

describe("resolving", () => {
  it("gathers the addresses of both families and leaves the names of a CNAME chain out", async () => {
    const resolve = newResolveName({
      lookups: [async () => ["edge.cdn.example.", "192.0.2.1", "192.0.2.2"], async () => ["2001:db8::1"]],
    });
    expect(await resolve("www.example.com")).toEqual(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
  });

  it("takes a name that has addresses of one family only", async () => {
    expect(await newResolveName({ lookups: [notFound, async () => ["2001:db8::1"]] })("v6.example")).toEqual([
      "2001:db8::1",
    ]);
  });

  it.each([
    ["no such name", [notFound, notFound]],
    ["no address behind a CNAME", [async () => ["edge.cdn.example."], notFound]],
    [
      "one family that cannot be asked for",
      [async () => ["192.0.2.1"], () => Promise.reject(new Error("no"))],
    ],
  ])("fails for %s", async (_, lookups) => {
    const failure = newResolveName({ lookups })("www.example.com");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "unresolved",
      message: "Could not resolve host: www.example.com",
    });
  });

  it("fails where no answer comes in time", async () => {
    const never = () => new Promise<never>(() => {});
    await expect(newResolveName({ lookups: [never], timeoutMs: 20 })("slow.example")).rejects.toMatchObject({
      reason: "unresolved",
    });
  });

  it("has the platform's resolver, which fails clearly for a name that cannot be", async () => {
    // RFC 6761: nobody has a name below this one, with a network and without.
    await expect(resolveName("berth.invalid")).rejects.toMatchObject({ reason: "unresolved" });
  });
});
