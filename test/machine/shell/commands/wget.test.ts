import { describe, expect, it } from "vitest";
import { type Answer, atTerminal } from "./curl-terminal.ts";

const BYTES = Uint8Array.from({ length: 512 }, (_, index) => index % 256);

const server: Answer = ({ url }) =>
  url.endsWith("/missing")
    ? new Response(null, { status: 404, statusText: "Not Found" })
    : new Response(BYTES);

describe("wget", () => {
  it("saves under the URL's name, beside what is there", async () => {
    await atTerminal(server, async ({ run, list, read }) => {
      await run(
        "wget -q example.com; wget -q example.com/a/b.bin; wget -q example.com/b.bin; wget -qP x/y example.com/c?d=/1",
      );
      expect(list(".")).toEqual(["Downloads", "b.bin", "b.bin.1", "index.html", "x"]);
      expect(list("x/y")).toEqual(["c?d=%2F1"]);
      expect(read("b.bin.1")).toEqual(BYTES);
    });
  });

  it("writes several documents into one", async () => {
    await atTerminal(server, async ({ run, read }) => {
      await run("wget -qO all example.com/1 example.com/2");
      expect(read("all")).toEqual(new Uint8Array([...BYTES, ...BYTES]));
      expect((await run("wget -qO- example.com | wc -c")).stdout.trim()).toBe("512");
    });
  });

  it("asks as it is told", async () => {
    await atTerminal(server, async ({ run, sent }) => {
      await run(
        "wget -qO- --header 'X-A: 1' -U me --post-data a=1 example.com; wget -q --spider example.com",
      );
      expect(sent.map(({ method }) => method)).toEqual(["POST", "HEAD"]);
      expect([sent[0]?.headers.get("x-a"), sent[0]?.headers.get("user-agent")]).toEqual(["1", "me"]);
      expect(await sent[0]?.text()).toBe("a=1");
    });
  });

  it("tells what it does, unless it is to be quiet", async () => {
    await atTerminal(server, async ({ run }) => {
      expect((await run("wget -O f example.com")).stderr.replace(/\d{4}(-\d\d){2} [\d:]{8}/g, "NOW")).toBe(
        "--NOW--  http://example.com/\nHTTP request sent, awaiting response... 200 OK\nNOW - ‘f’ saved [512]\n",
      );
      expect((await run("wget -nv -O f example.com")).stderr).toMatch(/^[\d: -]+ - ‘f’ saved \[512\]\n$/);
    });
  });

  it.each([
    ["wget example.com/missing", 8, / ERROR 404: Not Found\.\n$/],
    ["wget -q example.com/missing", 8, /^$/],
    ["wget nope.example", 4, /wget: Could not resolve host: nope\.example\n$/],
    ["wget 10.0.0.1", 4, /wget: Failed to connect to 10\.0\.0\.1: 10\.0\.0\.1 is a private address\n$/],
    ["wget ftp://example.com", 1, /wget: Protocol "ftp" not supported/],
    ["wget -O /nope/f example.com", 3, /Failed to open the file \/nope\/f: No such file or directory\n/],
    ["wget", 2, /^wget: missing URL\n/],
    ["wget -r example.com", 2, /^wget: invalid option -- 'r'\n/],
    ["wget -qO- nope.example example.com", 4, /^$/],
  ])("%s ends with %d", async (script, exitCode, stderr) => {
    const result = await atTerminal(server, ({ run }) => run(script));
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toMatch(stderr);
  });
});
