import { describe, expect, it } from "vitest";
import { type Server, withNetwork } from "./network.ts";

const BYTES = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
const BYTE_STRING = Buffer.from(BYTES).toString("latin1");

const server: Server = ({ url }) => {
  const [, reason] = /\/fail\/(\w+)$/.exec(url) ?? [];
  if (reason !== undefined) return { reason };
  if (url.endsWith("/missing")) return new Response(null, { status: 404, statusText: "Not Found" });
  return new Response(BYTES, { statusText: "OK" });
};

describe("wget", () => {
  it("saves under the URL's name without replacing files", async () => {
    await withNetwork(server, async ({ run, list, read }) => {
      await run(
        "wget -q example.com; wget -q example.com/a/b.bin example.com/b.bin; wget -qP x/y example.com/c?d=/1",
      );
      expect(list()).toEqual(["b.bin", "b.bin.1", "index.html", "x"]);
      expect(list("x/y")).toEqual(["c?d=%2F1"]);
      expect(read("b.bin.1")).toBe(BYTE_STRING);
    });
  });

  it("writes several documents into one file", async () => {
    await withNetwork(server, async ({ run, read, write }) => {
      write("all", new Uint8Array(5000));
      await run("wget -qO all example.com/1 example.com/2");
      expect(read("all")).toBe(BYTE_STRING + BYTE_STRING);
      expect(
        (await run("wget -q -O- -t 3 --no-check-certificate example.com/1 example.com/2 | wc -c")).stdout,
      ).toBe("1024\n");
    });
  });

  it("sends the given method, headers and body", async () => {
    await withNetwork(server, async ({ run, sent }) => {
      await run(
        "wget -qO- --header 'X-A: 1' -U me --post-data a=1 example.com; wget -q --spider example.com",
      );
      expect(sent.map(({ method, text }) => [method, text])).toEqual([
        ["POST", "a=1"],
        ["HEAD", ""],
      ]);
      expect(sent[0]?.fields("x-a", "user-agent", "content-type")).toEqual([
        "x-a: 1",
        "user-agent: me",
        "content-type: application/x-www-form-urlencoded",
      ]);
    });
  });

  it.each([
    [
      "wget -O f example.com",
      "--NOW--  http://example.com/\nHTTP request sent, awaiting response... 200 OK\nNOW - ‘f’ saved [512]\n",
    ],
    ["wget -nv -O f example.com", "NOW - ‘f’ saved [512]\n"],
    ["wget -q -O f example.com", ""],
  ])("%s prints its progress", async (script, expected) => {
    await withNetwork(server, async ({ run }) => {
      const { stderr } = await run(script);
      expect(
        Buffer.from(stderr, "latin1")
          .toString()
          .replace(/\d{4}(-\d\d){2} [\d:]{8}/g, "NOW"),
      ).toBe(expected);
    });
  });

  it.each([
    ["wget -nv example.com/missing", 8, /^wget: ERROR 404: Not Found\.\n$/],
    ["wget -q example.com/missing", 8, /^$/],
    ["wget -nv example.com/fail/unresolved", 4, /^wget: It is unresolved\n$/],
    ["wget ftp://example.com", 1, /^wget: Protocol "ftp" not supported/],
    ["wget -nv -O /nope/f example.com", 3, /^wget: Failed to write \/nope\/f: No such file or directory\n$/],
    ["wget", 2, /^wget: missing URL\n/],
    ["wget -r example.com", 2, /^wget: invalid option -- 'r'\n/],
    ["wget -qO f example.com/fail/off example.com", 4, /^$/],
  ])("%s exits with %d", async (script, code, stderr) => {
    await withNetwork(server, async ({ run }) => {
      const result = await run(script);
      expect(result.stderr).toMatch(stderr);
      expect(result.code).toBe(code);
    });
  });
});
