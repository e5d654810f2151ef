import { describe, expect, it } from "vitest";
import { type Answer, atTerminal, type Terminal } from "./curl-terminal.ts";

const ALL_BYTES = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);

/** What has come in, as text: method, path, the headers that are told, and the body. */
async function describeRequest(request: Request, names: string[]): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const headers = names.map((name) => `${name}: ${request.headers.get(name)}`);
  const body = new TextDecoder().decode(await request.bytes());
  return [`${request.method} ${pathname}${search}`, ...headers, body].join("\n");
}

/** `/status/404` has that status, `/to/302?URL` leads on; all else answers with what has come in. */
const server: Answer = async (request) => {
  const { pathname, search } = new URL(request.url);
  const [, action, status] = pathname.split("/");
  if (action === "bytes") return new Response(ALL_BYTES);
  if (action === "status") return new Response("sorry\n", { status: Number(status), statusText: "Reason" });
  if (action === "to") {
    const location = decodeURIComponent(search.slice(1));
    return new Response("moved\n", { status: Number(status), statusText: "Moved", headers: { location } });
  }
  if (action === "down") throw new Error("connection refused");
  return new Response(`${request.method} ${request.url}\n`, { headers: { "x-answer": "yes" } });
};

function atServer<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
  return atTerminal(server, work);
}

async function lastRequest(script: string, names: string[]): Promise<string> {
  return await atServer(async ({ run, write, sent }) => {
    write("text", new TextEncoder().encode("1&2\r\n3\n"));
    write("bytes", ALL_BYTES);
    const { stderr } = await run(script);
    const request = sent.at(-1);
    if (!request) throw new Error(`nothing was sent: ${stderr}`);
    return await describeRequest(request, names);
  });
}

describe("a request", () => {
  const FORM = "application/x-www-form-urlencoded";

  // As curl 7.88.1 sends it.
  it.each<[script: string, names: string[], sent: string[]]>([
    ["curl example.com", ["accept", "user-agent"], ["GET /", "accept: */*", "user-agent: curl/7.88.1", ""]],
    ["curl -sSLo f example.com", [], ["GET /", ""]],
    ["curl -X DELETE example.com/x", [], ["DELETE /x", ""]],
    ["curl -I example.com", [], ["HEAD /", ""]],
    [
      "curl -A me -e there example.com",
      ["user-agent", "referer"],
      ["GET /", "user-agent: me", "referer: there", ""],
    ],
    ["curl -A '' example.com", ["user-agent"], ["GET /", "user-agent: null", ""]],
    ["curl -H 'X-A: 1' -H x-b:2 example.com", ["x-a", "x-b"], ["GET /", "x-a: 1", "x-b: 2", ""]],
    ["curl -H 'Accept:' -H 'X-A;' example.com", ["accept", "x-a"], ["GET /", "accept: null", "x-a: ", ""]],
    ["curl -H 'user-agent: me' example.com", ["user-agent"], ["GET /", "user-agent: me", ""]],
    [
      "printf 'X-A: 1\\nX-B: 2\\n' | curl -H @- example.com",
      ["x-a", "x-b"],
      ["GET /", "x-a: 1", "x-b: 2", ""],
    ],
    ["curl -u a:b example.com", ["authorization"], ["GET /", "authorization: Basic YTpi", ""]],
    ["curl -u a example.com", ["authorization"], ["GET /", "authorization: Basic YTo=", ""]],
    ["curl -u 'a:ü' example.com", ["authorization"], ["GET /", "authorization: Basic YTrDvA==", ""]],
    ["curl http://a:b%40@example.com", ["authorization"], ["GET /", "authorization: Basic YTpiQA==", ""]],
    ["curl --oauth2-bearer t example.com", ["authorization"], ["GET /", "authorization: Bearer t", ""]],
    ["curl -b a=1 -b 'b=2; c=3' example.com", ["cookie"], ["GET /", "cookie: a=1; b=2; c=3", ""]],
    ["curl -r 0-9 example.com", ["range"], ["GET /", "range: bytes=0-9", ""]],
    ["curl --compressed example.com", ["accept-encoding"], ["GET /", "accept-encoding: gzip, br", ""]],
    [
      "curl -z 'Tue, 01 Jan 2030 00:00:00 GMT' example.com",
      ["if-modified-since"],
      ["GET /", "if-modified-since: Tue, 01 Jan 2030 00:00:00 GMT", ""],
    ],
    ["curl -z nonsense example.com", ["if-modified-since"], ["GET /", "if-modified-since: null", ""]],
    ["curl -d a=1 -d b=2 example.com", ["content-type"], ["POST /", `content-type: ${FORM}`, "a=1&b=2"]],
    ["curl -d '' -d a example.com", [], ["POST /", "&a"]],
    ["curl -d '' example.com", ["content-type"], ["POST /", `content-type: ${FORM}`, ""]],
    ["curl -d @text example.com", [], ["POST /", "1&23"]],
    ["curl --data-binary @text example.com", [], ["POST /", "1&2\r\n3\n"]],
    ["curl --data-raw @text example.com", [], ["POST /", "@text"]],
    ["curl -d ü example.com", [], ["POST /", "ü"]],
    ["printf 'x\\ny' | curl -d @- example.com", [], ["POST /", "xy"]],
    [
      "curl --data-urlencode 'b=c d&é' --data-urlencode '=x/y~' --data-urlencode 'a b' example.com",
      [],
      ["POST /", "b=c+d%26%c3%a9&x%2fy~&a+b"],
    ],
    [
      "curl --data-urlencode @text --data-urlencode n@text example.com",
      [],
      ["POST /", "1%262%0d%0a3%0a&n=1%262%0d%0a3%0a"],
    ],
    ["curl -G -d a=1 --data-urlencode 'b= ' 'example.com/x?y'", [], ["GET /x?y&a=1&b=+", ""]],
    ["curl -GI -d a=1 example.com", [], ["HEAD /?a=1", ""]],
    ["curl -H 'Content-Type: q/r' -d a example.com", ["content-type"], ["POST /", "content-type: q/r", "a"]],
    ["curl -H 'Content-Type:' -d a example.com", ["content-type"], ["POST /", "content-type: null", "a"]],
    ["curl -X PUT -d a example.com", [], ["PUT /", "a"]],
    [
      `curl --json '{"a":1' --json '}' example.com`,
      ["content-type", "accept"],
      ["POST /", "content-type: application/json", "accept: application/json", '{"a":1}'],
    ],
    [
      "curl -T text example.com/dir/",
      ["content-type"],
      ["PUT /dir/text", "content-type: null", "1&2\r\n3\n"],
    ],
    ["curl -T text example.com/name", [], ["PUT /name", "1&2\r\n3\n"]],
    ["printf x | curl -T - -X POST example.com", [], ["POST /", "x"]],
    ["curl -g 'example.com/?a[]={b}'", [], ["GET /?a[]={b}", ""]],
    ["curl -4 -k --http1.1 -N -# --connect-timeout 3 --proto '=http' example.com", [], ["GET /", ""]],
  ])("%s", async (script, names, sent) => {
    expect(await lastRequest(script, names)).toBe(sent.join("\n"));
  });

  it("carries a form with the bytes of files", async () => {
    await atServer(async ({ run, write, sent }) => {
      write("b.png", ALL_BYTES);
      await run(
        "curl -F a=b -F 'j={};type=application/json' -F 'f=@b.png' -F 't=<b.png;filename=x' example.com",
      );
      const form = await sent[0]?.formData();
      const file = form?.get("f");
      if (!(file instanceof File)) throw new Error("no file");
      expect([form?.get("a"), file.name, file.type]).toEqual(["b", "b.png", "image/png"]);
      expect(await file.bytes()).toEqual(ALL_BYTES);
      expect(form?.get("j")).toBe("{}");
    });
  });

  it.each([
    "curl --data-binary @bytes example.com",
    "curl -T bytes example.com",
    "curl -s example.com/bytes | curl -T - example.com",
    "curl -s example.com/bytes | curl --data-binary @- example.com",
  ])("carries bytes as they are: %s", async (script) => {
    await atServer(async ({ run, write, sent }) => {
      write("bytes", ALL_BYTES);
      await run(script);
      expect(await sent.at(-1)?.bytes()).toEqual(ALL_BYTES);
    });
  });

  it("is made for each URL, with its own upload", async () => {
    await atServer(async ({ run, write, sent }) => {
      write("a", new TextEncoder().encode("A"));
      write("b", new TextEncoder().encode("B"));
      await run("curl -T a -T b example.com/1 --url example.com/0 example.com/2");
      expect(await Promise.all(sent.map((request) => describeRequest(request, [])))).toEqual([
        "PUT /0\nA",
        "PUT /1\nB",
        "GET /2\n",
      ]);
    });
  });

  it("says so when a header cannot be chosen", async () => {
    await atServer(async ({ run, sent }) => {
      const { stderr } = await run("curl -H 'Host: other.example' -o f example.com");
      expect(stderr).toBe("Warning: The Host header cannot be chosen here\n");
      expect(sent[0]?.url).toBe("http://example.com/");
    });
  });
});

describe("an answer", () => {
  it.each<[script: string, stdout: string]>([
    ["curl -s example.com/1 example.com/2", "GET http://example.com/1\nGET http://example.com/2\n"],
    ["curl -s example.com/status/404", "sorry\n"],
    [
      "curl -i example.com/status/404",
      "HTTP/1.1 404 Reason\r\ncontent-type: text/plain;charset=UTF-8\r\n\r\nsorry\n",
    ],
    [
      "curl -I example.com/to/302?/x",
      "HTTP/1.1 302 Moved\r\ncontent-type: text/plain;charset=UTF-8\r\nlocation: /x\r\n\r\n",
    ],
    [
      "curl -sIL --max-redirs 0 example.com/to/302?/x",
      "HTTP/1.1 302 Moved\r\ncontent-type: text/plain;charset=UTF-8\r\nlocation: /x\r\n\r\n",
    ],
    [
      "curl -iL example.com/to/302?/status/201",
      "HTTP/1.1 302 Moved\r\ncontent-type: text/plain;charset=UTF-8\r\nlocation: /status/201\r\n\r\n" +
        "HTTP/1.1 201 Reason\r\ncontent-type: text/plain;charset=UTF-8\r\n\r\nsorry\n",
    ],
    [
      "curl -sD - -o /dev/null example.com/status/201",
      "HTTP/1.1 201 Reason\r\ncontent-type: text/plain;charset=UTF-8\r\n\r\n",
    ],
    ["curl -s -o /dev/null -w '%{http_code} %{size_download}\\n' example.com/bytes", "200 1024\n"],
    ["curl -sfw '%{http_code} %{exitcode}' example.com/status/500", "500 22"],
    ["curl -sw '%{redirect_url}' -o /dev/null example.com/to/302?y%20z", "http://example.com/to/y%20z"],
    [
      "curl -sLw '%{url_effective} %{num_redirects}' -o /dev/null example.com/to/302?/x",
      "http://example.com/x 1",
    ],
    ["curl -s -w '%{url_effective}' -o /dev/null http://me:secret@example.com/#part", "http://example.com/"],
    ["curl -s -w '%header{x-answer}' -o /dev/null example.com", "yes"],
    ["echo '%{http_code}' | curl -s -w @- -o /dev/null example.com", "200\n"],
  ])("%s", async (script, stdout) => {
    expect(await atServer(({ run }) => run(script))).toMatchObject({ stdout });
  });

  it("is written to files byte by byte", async () => {
    await atServer(async ({ run, read }) => {
      expect(
        await run("curl -o a example.com/bytes; curl -sO example.com/bytes -o b example.com/bytes"),
      ).toEqual({
        stdout: "",
        stderr: "",
        exitCode: 0,
      });
      expect([read("a"), read("bytes"), read("b")]).toEqual([ALL_BYTES, ALL_BYTES, ALL_BYTES]);
    });
  });

  it("goes through a pipe byte by byte", async () => {
    const { stdout } = await atServer(({ run }) => run("curl -s example.com/bytes | base64 -w0"));
    expect(stdout).toBe(ALL_BYTES.toBase64());
  });

  it("of more than a piece is whole in a file, which keeps nothing of what it held", async () => {
    const bytes = new Uint8Array(700_001).map((_, index) => index % 251);
    await atTerminal(
      () => new Response(bytes),
      async ({ run, read, write }) => {
        write("f", new Uint8Array(900_000));
        expect((await run("curl -so f example.com")).exitCode).toBe(0);
        expect(read("f")).toEqual(bytes);
      },
    );
  });

  it("goes to the files that -o, -O, -J and their relatives name", async () => {
    const named: Answer = () =>
      new Response("x", { headers: { "content-disposition": 'attachment; filename="../given.txt"' } });
    await atTerminal(named, async ({ run, list }) => {
      await run("curl -s -o a example.com/1 -O example.com/b.txt?q -o - example.com/3");
      await run("curl -sOJ example.com/c");
      await run("curl -sOL example.com/d#e");
      await run("curl -s --remote-name-all example.com/f example.com/g");
      await run(
        "curl -s --create-dirs --output-dir x/y -o z/h example.com; curl -s --create-dirs -o i example.com",
      );
      expect(list(".")).toEqual(["Downloads", "a", "b.txt", "d", "f", "g", "given.txt", "i", "x"]);
      expect(list("x/y/z")).toEqual(["h"]);
    });
  });

  it("leaves its headers in the file of -D, behind those of the others", async () => {
    await atServer(async ({ run, read }) => {
      await run("curl -s -D heads -o /dev/null example.com/status/201 -o /dev/null example.com/status/404");
      expect(new TextDecoder().decode(read("heads")).match(/HTTP\/1.1 \d+/g)).toEqual([
        "HTTP/1.1 201",
        "HTTP/1.1 404",
      ]);
    });
  });

  it("that fails with -f leaves files alone", async () => {
    await atServer(async ({ run, read, write, list }) => {
      write("old", new Uint8Array([1]));
      await run("curl -sf -o old example.com/status/404; curl -sf -o new example.com/status/404");
      expect(read("old")).toEqual(new Uint8Array([1]));
      expect(list(".")).toEqual(["Downloads", "old"]);
    });
  });

  it("that has not changed leaves a file alone", async () => {
    await atTerminal(
      () => new Response(null, { status: 304 }),
      async ({ run, read, write, sent }) => {
        write("f", new Uint8Array([1]));
        await run("curl -s -z f -o f example.com");
        expect(read("f")).toEqual(new Uint8Array([1]));
        expect(sent[0]?.headers.get("if-modified-since")).toMatch(/ GMT$/);
      },
    );
  });

  it("is shown with what was asked by -v", async () => {
    const { stderr } = await atServer(({ run }) =>
      run("curl -sv -L -d a -o f 'example.com/to/302?/status/201'"),
    );
    expect(stderr).toBe(
      [
        "> POST /to/302?/status/201 HTTP/1.1",
        "> Host: example.com",
        "> User-Agent: curl/7.88.1",
        "> Accept: */*",
        "> Content-Length: 1",
        "> Content-Type: application/x-www-form-urlencoded",
        "> ",
        "< HTTP/1.1 302 Moved",
        "< content-type: text/plain;charset=UTF-8",
        "< location: /status/201",
        "< ",
        "> GET /status/201 HTTP/1.1",
        "> Host: example.com",
        "> User-Agent: curl/7.88.1",
        "> Accept: */*",
        "> ",
        "< HTTP/1.1 201 Reason",
        "< content-type: text/plain;charset=UTF-8",
        "< ",
        "",
      ].join("\r\n"),
    );
  });
});

describe("a redirect", () => {
  const OTHER = "http://other.example/x";

  // As curl 7.88.1 follows it.
  it.each<[script: string, sent: string[]]>([
    ["curl example.com/to/302?/x", ["GET /to/302?/x", ""]],
    ["curl -L -d a example.com/to/301?/x", ["GET /x", ""]],
    ["curl -L -d a example.com/to/302?/x", ["GET /x", ""]],
    ["curl -L -d a example.com/to/303?/x", ["GET /x", ""]],
    ["curl -L -d a example.com/to/307?/x", ["POST /x", "a"]],
    ["curl -L -d a example.com/to/308?/x", ["POST /x", "a"]],
    ["curl -L --post302 -d a example.com/to/302?/x", ["POST /x", "a"]],
    ["curl -L -X POST -d a example.com/to/302?/x", ["POST /x", ""]],
    ["curl -L -X PUT -d a example.com/to/303?/x", ["PUT /x", ""]],
    ["curl -L -T text example.com/to/302?/x", ["PUT /x", "1&2\r\n3\n"]],
    ["curl -L -T text example.com/to/303?/x", ["GET /x", ""]],
    ["curl -LI example.com/to/303?/x", ["HEAD /x", ""]],
  ])("%s", async (script, sent) => {
    expect(await lastRequest(script, [])).toBe(sent.join("\n"));
  });

  it.each([
    [`-u a:b -b q=2 example.com/to/302?${OTHER}`, [null, null, "1"]],
    [`-H 'Authorization: a' -H 'Cookie: q=2' example.com/to/302?${OTHER}`, [null, null, "1"]],
    [`-u a:b -b q=2 example.com/to/302?https://example.com/`, [null, null, "1"]],
    [`-u a:b -b q=2 example.com/to/302?http://example.com:81/`, [null, null, "1"]],
    ["-u a:b -b q=2 example.com/to/302?/x", ["Basic YTpi", "q=2", "1"]],
    [`--location-trusted -u a:b -b q=2 example.com/to/302?${OTHER}`, ["Basic YTpi", "q=2", "1"]],
  ])("takes along %s", async (args, expected) => {
    await atServer(async ({ run, sent }) => {
      await run(`curl -sL -H 'X-K: 1' ${args}`);
      const headers = sent[1]?.headers;
      expect(["authorization", "cookie", "x-k"].map((name) => headers?.get(name))).toEqual(expected);
    });
  });

  it.each([
    [
      "curl -L 'example.com/to/302?http://inside.example/'",
      7,
      "curl: (7) Failed to connect to inside.example: inside.example has a private address\n",
    ],
    [
      "curl -L 'example.com/to/302?http://127.0.0.1/'",
      7,
      "curl: (7) Failed to connect to 127.0.0.1: 127.0.0.1 is a private address\n",
    ],
    [
      "curl -L 'example.com/to/302?file:///etc/passwd'",
      1,
      'curl: (1) Protocol "file" not supported or disabled in libcurl\n',
    ],
    [
      "curl -L --proto =http 'example.com/to/302?https://example.com'",
      1,
      'curl: (1) Protocol "https" not supported or disabled in libcurl\n',
    ],
    ["curl -L --max-redirs 2 'example.com/to/302?302'", 47, "curl: (47) Maximum (2) redirects followed\n"],
    ["curl -L 'example.com/to/302?302'", 47, "curl: (47) Maximum (50) redirects followed\n"],
    ["curl -L --max-redirs -1 'example.com/to/302?302'", 47, "curl: (47) Maximum (200) redirects followed\n"],
  ])("%s is refused", async (script, exitCode, stderr) => {
    await atServer(async ({ run, sent }) => {
      expect(await run(script)).toEqual({ stdout: "", stderr, exitCode });
      expect(sent.every(({ url }) => url.startsWith("http://example.com/"))).toBe(true);
    });
  });
});

describe("cookies", () => {
  const login: Answer = ({ url, headers }) =>
    url.endsWith("/login")
      ? new Response(null, {
          status: 302,
          headers: [
            ["location", "/home"],
            ["set-cookie", "id=1; HttpOnly"],
            ["set-cookie", "theme=dark; Max-Age=1000; Path=/"],
          ],
        })
      : new Response(headers.get("cookie"));

  it("are kept by -c, read by -b, and go along with redirects", async () => {
    await atTerminal(login, async ({ run, read }) => {
      expect((await run("curl -sL -c jar -b own=0 example.com/login")).stdout).toBe(
        "id=1; theme=dark; own=0",
      );
      expect(new TextDecoder().decode(read("jar"))).toMatch(
        /\n\n#HttpOnly_example.com\tFALSE\t\/\tFALSE\t0\tid\t1\nexample.com\tFALSE\t\/\tFALSE\t\d{10}\ttheme\tdark\n$/,
      );
      expect((await run("curl -s -b jar example.com; curl -s -b jar -j example.com")).stdout).toBe(
        "id=1; theme=darktheme=dark",
      );
      expect((await run("curl -s -b jar other.example; curl -s -b none example.com")).stdout).toBe("");
    });
  });

  it("are forgotten without -b and -c", async () => {
    expect((await atTerminal(login, ({ run }) => run("curl -sL example.com/login"))).stdout).toBe("");
  });

  it("may be written to standard output, and not where nobody may write", async () => {
    await atTerminal(login, async ({ run }) => {
      expect((await run("curl -s -c - example.com/login")).stdout).toContain("theme\tdark\n");
      expect(await run("curl -c /nope/jar example.com/login")).toEqual({
        stdout: "",
        stderr: "Warning: failed to save cookies in /nope/jar: No such file or directory\n",
        exitCode: 0,
      });
    });
  });
});

describe("a failure", () => {
  it.each<[script: string, exitCode: number, stderr: string]>([
    ["curl foo://x", 1, 'curl: (1) Protocol "foo" not supported or disabled in libcurl\n'],
    ["curl 'http://a b'", 3, "curl: (3) URL using bad/illegal format or missing URL\n"],
    ["curl nope.example", 6, "curl: (6) Could not resolve host: nope.example\n"],
    ["curl -s nope.example", 6, ""],
    ["curl -sS nope.example", 6, "curl: (6) Could not resolve host: nope.example\n"],
    ["curl example.com/down", 7, "curl: (7) Failed to connect to example.com port 80\n"],
    ["curl 10.0.0.1", 7, "curl: (7) Failed to connect to 10.0.0.1: 10.0.0.1 is a private address\n"],
    [
      "curl localhost",
      7,
      "curl: (7) Failed to connect to localhost: localhost is a name of a private network\n",
    ],
    ["curl -f example.com/status/404", 22, "curl: (22) The requested URL returned error: 404\n"],
    [
      "curl -o /nope/f example.com",
      23,
      "Warning: Failed to open the file /nope/f: No such file or directory\ncurl: (23) Failure writing output to destination\n",
    ],
    ["curl -sSo /bin/f example.com", 23, "curl: (23) Failure writing output to destination\n"],
    ["curl -o /dev/full example.com", 23, "curl: (23) Failure writing output to destination\n"],
    ["curl -O example.com", 23, "curl: (23) Failed writing received data to disk/application\n"],
    ["curl -d @none example.com", 26, "curl: (26) Failed to open none\n"],
    ["curl -T none example.com", 26, "curl: (26) Failed to open none\n"],
    ["curl -F a=@none example.com", 26, "curl: (26) Failed to open none\n"],
    ["curl -T /dev/zero example.com", 27, "curl: (27) More than 4194304 bytes are too many here\n"],
    ["curl -X GET -d a example.com", 4, "curl: (4) a GET request cannot carry data here\n"],
    ["curl -X TRACE example.com", 4, 'curl: (4) method "TRACE" cannot be sent\n'],
    [
      "curl --foo example.com",
      2,
      "curl: unrecognized option '--foo'\nTry 'curl --help' for more information.\n",
    ],
    ["curl -s", 2, "curl: no URL specified!\nTry 'curl --help' for more information.\n"],
    ["curl -o", 2, "curl: option requires an argument -- 'o'\nTry 'curl --help' for more information.\n"],
    [
      "curl -m x example.com",
      2,
      "curl: option -m: expected a proper numerical parameter\nTry 'curl --help' for more information.\n",
    ],
    ["curl -x proxy example.com", 2, "curl: option --proxy: a proxy is not available here\n"],
    [
      "curl -C - -O example.com/f",
      2,
      "curl: option --continue-at: resuming a transfer is not available here\n",
    ],
    [
      "curl --cacert f example.com",
      2,
      "curl: option --cacert: a certificate authority of one's own is not available here\n",
    ],
    [
      "curl -F a=b -d c example.com",
      2,
      "curl: You can only select one HTTP request method! You asked for both POST (-d, --data) and multipart formpost (-F, --form).\n",
    ],
    ["curl -s -w '%{what}' -o f example.com", 0, "curl: unknown --write-out variable: 'what'\n"],
    ["curl -o a -o b example.com", 0, "Warning: Got more output options than URLs\n"],
  ])("%s", async (script, exitCode, stderr) => {
    expect(await atServer(({ run }) => run(script))).toEqual({ stdout: "", stderr, exitCode });
  });

  it.each([
    ["curl -s nope.example example.com", 0, "GET http://example.com/\n"],
    ["curl -s example.com nope.example", 6, "GET http://example.com/\n"],
    ["curl -s --fail-early nope.example example.com", 6, ""],
    ["curl -s --fail-with-body example.com/status/404", 22, "sorry\n"],
    ["curl -sf example.com/status/404 || echo no", 0, "no\n"],
  ])("%s ends with %d", async (script, exitCode, stdout) => {
    expect(await atServer(({ run }) => run(script))).toEqual({ stdout, stderr: "", exitCode });
  });

  it("tells of a network that is off, and sends nothing", async () => {
    await atTerminal(
      server,
      async ({ run, sent }) => {
        expect(await run("curl https://example.com/x")).toEqual({
          stdout: "",
          stderr:
            "curl: (7) Failed to connect to example.com: network access is off (setting MACHINE_NETWORK)\n",
          exitCode: 7,
        });
        expect(sent).toEqual([]);
      },
      { allow: "none" },
    );
  });

  it("tells of an answer that is too large", async () => {
    await atTerminal(
      () => new Response(new Uint8Array(101)),
      async ({ run, list }) => {
        expect(await run("curl -o f example.com")).toMatchObject({
          exitCode: 63,
          stderr: "curl: (63) The response is larger than 100 bytes\n",
        });
        expect(list(".")).toEqual(["Downloads"]);
      },
      { maxResponseBytes: 100 },
    );
  });

  it("tells of a server that does not answer in time", async () => {
    const silent: Answer = () => new Promise<Response>(() => {});
    const { exitCode, stderr } = await atTerminal(silent, ({ run }) => run("curl -m 0.05 example.com"));
    expect(exitCode).toBe(28);
    expect(stderr).toMatch(/^curl: \(28\) Operation timed out after [\d.]+ milliseconds\n$/);
  });

  it("tells of redirects that take too long together", async () => {
    const slow: Answer = async () => {
      await scheduler.wait(20);
      return new Response(null, { status: 302, headers: { location: "/next" } });
    };
    expect(await atTerminal(slow, ({ run }) => run("curl -sL -m 0.1 example.com"))).toMatchObject({
      exitCode: 28,
    });
  });

  it("is tried again where it may pass", async () => {
    let count = 0;
    const recovering: Answer = () => new Response("x", { status: ++count < 3 ? 503 : 200 });
    expect(
      await atTerminal(recovering, ({ run }) => run("curl --retry 5 --retry-delay 0.01 -f example.com")),
    ).toEqual({
      stdout: "x",
      stderr:
        "Warning: Problem: HTTP error. Will retry in 0.01 seconds. 5 retries left.\n" +
        "Warning: Problem: HTTP error. Will retry in 0.01 seconds. 4 retries left.\n",
      exitCode: 0,
    });
    expect(count).toBe(3);
  });

  it.each(["curl example.com", "curl --retry 1 --retry-delay 1000 example.com/status/503"])(
    "ends with its process: %s",
    async (script) => {
      const arrived = Promise.withResolvers<void>();
      const answer: Answer = (request) => {
        arrived.resolve();
        return request.url.endsWith("503") ? server(request) : new Promise<Response>(() => {});
      };
      await atTerminal(answer, async ({ run, kill, sent }) => {
        const ended = run(script);
        await arrived.promise;
        kill();
        const { exitCode, stderr } = await ended;
        expect(exitCode).not.toBe(0);
        expect(stderr).not.toContain("timed out");
        expect(sent).toHaveLength(1);
      });
    },
  );
});

describe("curl", () => {
  it.each([
    ["curl --version", "curl 7.88.1\nProtocols: http https\nFeatures: brotli libz SSL\n"],
    ["curl -V", "curl 7.88.1\nProtocols: http https\nFeatures: brotli libz SSL\n"],
    ["curl --help", "Usage: curl [options...] <url>\n"],
    ["curl -h", "Usage: curl [options...] <url>\n"],
  ])("%s", async (script, stdout) => {
    expect(await atServer(({ run }) => run(script))).toEqual({ stdout, stderr: "", exitCode: 0 });
  });
});
