import { describe, expect, it } from "vitest";
import { readEchoedAddress } from "../../../src/features/proxies/echoed-address.ts";
import { requestThroughProxy } from "../../../src/features/proxies/proxy-request.ts";
import { NetworkFailedError } from "../../../src/platform/network/network-error.ts";

/** A connection that responds with these pieces and records what it is sent. */
function fakeConnection(pieces: string[], { staysOpen = false } = {}) {
  const sent: string[] = [];
  let isCancelled = false;
  const remaining = [...pieces];
  return {
    readable: new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = remaining.shift();
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        else if (!staysOpen) controller.close();
      },
      cancel() {
        isCancelled = true;
      },
    }),
    writable: new WritableStream<Uint8Array>({
      write(bytes) {
        sent.push(new TextDecoder().decode(bytes));
      },
    }),
    sent,
    get isCancelled() {
      return isCancelled;
    },
  };
}

const NEVER_ABORTED = new AbortController().signal;

function request(pieces: string[], { url = "http://echo.example/ip?a=b#c", staysOpen = false } = {}) {
  return requestThroughProxy(fakeConnection(pieces, { staysOpen }), undefined, new URL(url), NEVER_ABORTED);
}

function toCharacters(text: string): string[] {
  return [...text];
}

describe("requestThroughProxy", () => {
  it("refuses a header of 60,000 blanks at once", async () => {
    const startedAt = Date.now();
    const answer = `HTTP/1.1 200 OK\r\na:${" ".repeat(60_000)}\r\x01\r\n\r\n`;
    await expect(request([answer])).rejects.toThrow("valid HTTP");
    expect(Date.now() - startedAt).toBeLessThan(1000);
  });

  it("sends an absolute URL and credentials", async () => {
    const socket = fakeConnection(["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"], { staysOpen: true });
    const credentials = { username: "ü", password: "p:w" };
    const target = new URL("http://echo.example:8080/ip?a=b#c");
    expect(await requestThroughProxy(socket, credentials, target, NEVER_ABORTED)).toEqual({
      status: 200,
      body: "ok",
    });
    expect(socket.sent.join("")).toBe(
      "GET http://echo.example:8080/ip?a=b HTTP/1.1\r\nHost: echo.example:8080\r\nAccept: */*\r\n" +
        "Accept-Encoding: identity\r\nConnection: close\r\nUser-Agent: berth\r\n" +
        "Proxy-Authorization: Basic w7w6cDp3\r\n\r\n",
    );
    expect(socket.isCancelled).toBe(true);
  });

  it.each([
    ["https://shop.example/x", "shop.example:443"],
    ["https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"],
  ])("for %s opens a tunnel to %s and reads nothing from it", async (url, host) => {
    const socket = fakeConnection(["HTTP/1.1 200 Connection established\r\n\r\n"], { staysOpen: true });
    expect(await requestThroughProxy(socket, undefined, new URL(url), NEVER_ABORTED)).toEqual({
      status: 200,
      body: "",
    });
    expect(socket.sent.join("")).toBe(
      `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: berth\r\n\r\n`,
    );
  });

  it.each<[string, string[], number, string]>([
    ["with a length", ["HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef"], 200, "abc"],
    ["until the end", ["HTTP/1.0 200 OK\r\n\r\nabc"], 200, "abc"],
    ["with bare line feeds", ["HTTP/1.1 200\nX: y\n\nabc"], 200, "abc"],
    ["after interim responses", ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc"], 200, "abc"],
    ["without a body", ["HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n"], 204, ""],
    [
      "in chunks",
      toCharacters(
        "HTTP/1.1 407 X\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: x\r\n\r\n",
      ),
      407,
      "abc0123456789",
    ],
  ])("reads a response %s", async (_, pieces, status, body) => {
    expect(await request(pieces)).toEqual({ status, body });
  });

  it.each<[string, string[]]>([
    ["no response", []],
    ["another protocol", ["SSH-2.0-OpenSSH_9.2\r\n"]],
    ["a truncated head", ["HTTP/1.1 200 OK\r\nContent-Le"]],
    ["a truncated body", ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"]],
    ["an invalid header", ["HTTP/1.1 200 OK\r\nno header\r\n\r\n"]],
    ["two lengths", ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"]],
    ["a negative length", ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab"]],
    ["an unknown encoding", ["HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab"]],
    ["an invalid chunk", ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n"]],
    ["a chunk without a size", ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"]],
  ])("fails on %s", async (_, pieces) => {
    await expect(request(pieces)).rejects.toThrow(NetworkFailedError);
  });

  it.each<[string, string[]]>([
    ["an endless line", ["HTTP/1.1 200 OK\r\nX: ", ...Array<string>(70).fill("x".repeat(1000))]],
    ["endless headers", ["HTTP/1.1 200 OK\r\n", ...Array<string>(9000).fill("X: yyyyy\r\n")]],
    ["a body with a huge length", ["HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"]],
    ["a large body", ["HTTP/1.1 200 OK\r\n\r\n", ...Array<string>(70).fill("x".repeat(1000))]],
    ["endless interim responses", Array<string>(9000).fill("HTTP/1.1 100 Continue\r\n\r\n")],
  ])("stops reading %s", async (_, pieces) => {
    await expect(request(pieces, { staysOpen: true })).rejects.toThrow(/larger than 65536 bytes/);
  });

  it("aborts with its signal while it waits for a response", async () => {
    const socket = fakeConnection(["HTTP/1.1 200 OK\r\n"], { staysOpen: true });
    const controller = new AbortController();
    const response = requestThroughProxy(socket, undefined, new URL("http://a.example/"), controller.signal);
    controller.abort(new NetworkFailedError("timed_out", "too late"));
    await expect(response).rejects.toThrow("too late");
    expect(socket.isCancelled).toBe(true);
  });
});

it.each([
  ["93.184.215.14\n", "93.184.215.14"],
  ["2606:2800:21F:CB07::1", "2606:2800:21f:cb07::1"],
  ['{"ip":"93.184.215.14"}', "93.184.215.14"],
  ['{"origin": "10.0.0.1, 93.184.215.14"}', "93.184.215.14"],
  ["", undefined],
  ["<html>", undefined],
  ["{", undefined],
  ['{"ip": 1}', undefined],
  ['{"ip": "localhost"}', undefined],
  [`${" ".repeat(10)}1.2.3.4.5`, undefined],
])("reads the echo %j as the address %j", (body, address) => {
  expect(readEchoedAddress(body)).toBe(address);
});
