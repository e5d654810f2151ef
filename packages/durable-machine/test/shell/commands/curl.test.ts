import { describe, expect, it } from "vitest";
import { KERNEL_USER } from "../../identity.ts";
import { type Server, withNetwork } from "./network.ts";

const BYTES = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
const BYTE_STRING = Buffer.from(BYTES).toString("latin1");
const FORM = "content-type: application/x-www-form-urlencoded";

/** `/status/404` returns that status, `/to/302?URL` redirects, `/fail/off` fails; others echo the request. */
const server: Server = ({ url, method }) => {
  const { pathname, search } = new URL(url);
  const [, action, value = ""] = pathname.split("/");
  if (action === "bytes") return new Response(BYTES);
  if (action === "status") {
    return new Response(value === "304" ? null : "sorry\n", { status: Number(value), statusText: "Reason" });
  }
  if (action === "to") {
    const location = decodeURIComponent(search.slice(1));
    return new Response("moved\n", { status: Number(value), statusText: "Moved", headers: { location } });
  }
  if (action === "fail") return { reason: value };
  return new Response(`${method} ${url}\n`, { headers: { "content-type": "text/x" } });
};

describe("requests of curl", () => {
  it.each<[options: string, names: string[], sent: string[]]>([
    ["example.com", ["accept", "user-agent"], ["GET /", "accept: */*", "user-agent: curl/7.88.1", ""]],
    ["-sSLk4 --http1.1 -N -# --compressed --connect-timeout 3 example.com", [], ["GET /", ""]],
    ["--proto '=https' --tlsv1.2 https://example.com", [], ["GET /", ""]],
    ["-X DELETE example.com/x", [], ["DELETE /x", ""]],
    ["-I example.com", [], ["HEAD /", ""]],
    [
      "-A me -e there example.com",
      ["user-agent", "referer"],
      ["GET /", "user-agent: me", "referer: there", ""],
    ],
    ["-A '' example.com", ["user-agent"], ["GET /", "user-agent: null", ""]],
    ["-H 'X-A: 1' -H x-b:2 -H X-B:3 example.com", ["x-a", "x-b"], ["GET /", "x-a: 1", "x-b: 2, 3", ""]],
    [
      "-H Accept: -H 'X-A;' -H nonsense example.com",
      ["accept", "x-a"],
      ["GET /", "accept: null", "x-a: ", ""],
    ],
    ["-u a:b example.com", ["authorization"], ["GET /", "authorization: Basic YTpi", ""]],
    ["-u ü example.com", ["authorization"], ["GET /", "authorization: Basic w7w6", ""]],
    ["http://a:b%40@example.com", ["authorization"], ["GET /", "authorization: Basic YTpiQA==", ""]],
    ["-b a=1 -b 'b=2; c=3' example.com", ["cookie"], ["GET /", "cookie: a=1; b=2; c=3", ""]],
    ["-r 0-9 example.com", ["range"], ["GET /", "range: bytes=0-9", ""]],
    ["--compressed example.com", ["accept-encoding"], ["GET /", "accept-encoding: gzip, br", ""]],
    ["-d a=1 -d b=2 example.com", ["content-type"], ["POST /", FORM, "a=1&b=2"]],
    ["-d '' example.com", ["content-type"], ["POST /", FORM, ""]],
    ["-d @text example.com", [], ["POST /", "1&23"]],
    ["--data-binary @text example.com", [], ["POST /", "1&2\r\n3\n"]],
    ["--data-raw @text example.com", [], ["POST /", "@text"]],
    ["-d @- example.com <text", [], ["POST /", "1&23"]],
    ["--data-binary @bytes example.com", [], ["POST /", BYTE_STRING]],
    [
      "--data-urlencode 'b=c d&é' --data-urlencode =x/y~ example.com",
      [],
      ["POST /", "b=c+d%26%C3%A9&x%2Fy~"],
    ],
    [
      "--data-urlencode @text --data-urlencode n@text example.com",
      [],
      ["POST /", "1%262%0D%0A3%0A&n=1%262%0D%0A3%0A"],
    ],
    ["-G -d a=1 --data-urlencode 'b= ' 'example.com/x?y'", [], ["GET /x?y&a=1&b=+", ""]],
    ["-H 'Content-Type: q/r' -X PUT -d a example.com", ["content-type"], ["PUT /", "content-type: q/r", "a"]],
    [
      `--json '{"a":1' --json '}' example.com`,
      ["content-type", "accept"],
      ["POST /", "content-type: application/json", "accept: application/json", '{"a":1}'],
    ],
    ["-T text example.com/dir/", ["content-type"], ["PUT /dir/text", "content-type: null", "1&2\r\n3\n"]],
    ["-T - example.com/x <bytes", [], ["PUT /x", BYTE_STRING]],
  ])("%s", async (options, names, expected) => {
    await withNetwork(server, async ({ run, write, sent }) => {
      write("text", "1&2\r\n3\n");
      write("bytes", BYTES);
      expect(await run(`curl ${options}`)).toMatchObject({ stderr: "", code: 0 });
      const [request] = sent;
      const target = request?.url.replace(/^https?:\/\/example\.com/, "");
      expect([`${request?.method} ${target}`, ...(request?.fields(...names) ?? []), request?.text]).toEqual(
        expected,
      );
    });
  });

  it("send forms", async () => {
    await withNetwork(server, async ({ run, write, sent }) => {
      write("b.png", BYTES);
      const fields = [
        "a=1;2",
        'j={"x":1};type=application/json',
        "f=@b.png",
        "t=<b.png",
        '"n=@b.png;filename="ü\nz"',
      ];
      await run(`curl ${fields.map((field) => `-F '${field}'`).join(" ")} example.com`);
      const boundary = sent[0]?.fields("content-type")[0]?.split("boundary=")[1];
      const part = "\r\nContent-Disposition: form-data; name=";
      expect(sent[0]?.text.split(`--${boundary}`)).toEqual([
        "",
        `${part}"a"\r\n\r\n1;2\r\n`,
        `${part}"j"\r\nContent-Type: application/json\r\n\r\n{"x":1}\r\n`,
        `${part}"f"; filename="b.png"\r\nContent-Type: image/png\r\n\r\n${BYTE_STRING}\r\n`,
        `${part}"t"\r\n\r\n${BYTE_STRING}\r\n`,
        `${part}"%22n"; filename="Ã¼%0Az"\r\nContent-Type: application/octet-stream\r\n\r\n${BYTE_STRING}\r\n`,
        "--\r\n",
      ]);
    });
  });
});

describe("output of curl", () => {
  const heads =
    "HTTP/1.1 302 Moved\r\ncontent-type: text/plain;charset=UTF-8\r\nlocation: /status/404\r\n\r\n";
  const last = "HTTP/1.1 404 Reason\r\ncontent-type: text/plain;charset=UTF-8\r\n\r\n";

  it.each<[options: string, stdout: string]>([
    ["-s example.com/1 --url example.com/2", "GET http://example.com/2\nGET http://example.com/1\n"],
    ["-s example.com/status/404", "sorry\n"],
    ["-i example.com/status/404", `${last}sorry\n`],
    ["-I example.com/to/302?/status/404", heads],
    ["-sfi example.com/status/404", last],
    ["-iL example.com/to/302?/status/404", `${heads}${last}sorry\n`],
    ["-sD - example.com/status/404", `${last}sorry\n`],
    ["-s -o /dev/null -w '%{http_code} %{size_download}\\n' example.com/bytes", "200 1024\n"],
    ["-sfw '%{http_code} %{exitcode}%%' example.com/status/500", "500 22%"],
    ["-sw '%{response_code}' example.com/fail/unresolved", "000"],
    ["-sw '%{redirect_url}' -o f example.com/to/302?y%20z", "http://example.com/to/y%20z"],
    [
      "-sLw '%{url_effective} %{num_redirects} %{content_type}\\t' -o f example.com/to/302?/x",
      "http://example.com/x 1 text/x\t",
    ],
    ["-s -w '%{url_effective}' -o f http://me:secret@example.com/#part", "http://example.com/"],
    ["-s -w @template -o f example.com", "200\n"],
    ["-s example.com/bytes | base64 -w0", Buffer.from(BYTES).toString("base64")],
  ])("%s", async (options, stdout) => {
    await withNetwork(server, async ({ run, write }) => {
      write("template", "%{http_code}\n");
      expect(await run(`curl ${options}`)).toMatchObject({ stdout, stderr: "" });
    });
  });

  it("is written to the user's files", async () => {
    const disposition = 'attachment; filename="../given.txt"';
    const named: Server = () => new Response(BYTES, { headers: { "content-disposition": disposition } });
    await withNetwork(named, async ({ run, list, read, write, machine }) => {
      write("a", new Uint8Array(5000));
      await run("curl -s -o a example.com/1 -O example.com/b.txt?q -o - example.com/3");
      await run("curl -sOJ example.com/c; curl -s -O example.com/f -O example.com/g#h");
      await run("curl -s --create-dirs --output-dir x/y -o z/h example.com");
      expect(list()).toEqual(["a", "b.txt", "f", "g", "given.txt", "x"]);
      expect([read("a"), read("b.txt"), read("x/y/z/h")]).toEqual([BYTE_STRING, BYTE_STRING, BYTE_STRING]);
      expect(machine.files.status("/tmp/work/b.txt", { uid: 0, gid: 0, umask: 0 }).uid).toBe(KERNEL_USER.uid);
    });
  });

  it("contains headers in the file of -D, and no file after a failure", async () => {
    await withNetwork(server, async ({ run, list, read, write }) => {
      write("old", "old");
      await run("curl -sLf -D heads -o old example.com/to/302?/status/404");
      expect(read("heads").match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 302", "HTTP/1.1 404"]);
      expect([list(), read("old")]).toEqual([["heads", "old"], "old"]);
    });
  });

  it("contains request and response headers with -v", async () => {
    await withNetwork(server, async ({ run }) => {
      const { stderr } = await run("curl -sv -d a -A me -o f example.com/status/201");
      expect(stderr).toBe(
        [
          "> POST /status/201 HTTP/1.1\r\n> Host: example.com\r\n> User-Agent: me\r\n> Accept: */*",
          "> Content-Type: application/x-www-form-urlencoded\r\n> ",
          "< HTTP/1.1 201 Reason\r\n< content-type: text/plain;charset=UTF-8\r\n< \r\n",
        ].join("\r\n"),
      );
    });
  });
});

describe("redirects of curl", () => {
  it.each<[options: string, last: string, text: string]>([
    ["-d a example.com/to/302?/x", "POST http://example.com/to/302?/x", "a"],
    ["-L -d a example.com/to/301?/x", "GET http://example.com/x", ""],
    ["-L -d a example.com/to/303?/x", "GET http://example.com/x", ""],
    ["-L -d a example.com/to/307?/x", "POST http://example.com/x", "a"],
    ["-L -X POST -d a example.com/to/302?/x", "POST http://example.com/x", ""],
    ["-L -T text example.com/to/302?/x", "PUT http://example.com/x", "text"],
    ["-LI example.com/to/303?/x", "HEAD http://example.com/x", ""],
  ])("%s", async (options, last, text) => {
    await withNetwork(server, async ({ run, write, sent }) => {
      write("text", "text");
      await run(`curl ${options}`);
      expect([`${sent.at(-1)?.method} ${sent.at(-1)?.url}`, sent.at(-1)?.text]).toEqual([last, text]);
    });
  });

  const secrets = "-H 'Authorization: a' -b q=2 -H 'X-K: 1'";
  it.each([
    ["http://other.example/x", ["authorization: null", "cookie: null", "x-k: 1"]],
    ["https://example.com/", ["authorization: null", "cookie: null", "x-k: 1"]],
    ["http://example.com:81/", ["authorization: null", "cookie: null", "x-k: 1"]],
    ["/x", ["authorization: a", "cookie: q=2", "x-k: 1"]],
  ])("to %s send %j", async (location, fields) => {
    await withNetwork(server, async ({ run, sent }) => {
      await run(
        `curl -sL ${secrets} example.com/to/302?${location}; curl -sL -u b:c example.com/to/302?${location}`,
      );
      expect(sent[1]?.fields("authorization", "cookie", "x-k")).toEqual(fields);
      expect(sent[3]?.fields("authorization")[0]).toBe(
        `authorization: ${location === "/x" ? "Basic Yjpj" : null}`,
      );
    });
  });

  it.each([
    ["-L 'example.com/to/302?file:///etc/passwd'", 1, 'Protocol "file" not supported or disabled in libcurl'],
    ["-L --proto =http 'example.com/to/302?https://example.com'", 1, 'Protocol "https" not supported'],
    ["-L --max-redirs 2 'example.com/to/302?302'", 47, "Maximum (2) redirects followed"],
    ["-L --max-redirs -1 'example.com/to/302?302'", 47, "Maximum (50) redirects followed"],
  ])("%s fails with %d", async (options, code, message) => {
    await withNetwork(server, async ({ run }) => {
      const result = await run(`curl ${options}`);
      expect(result).toMatchObject({ stdout: "", code });
      expect(result.stderr).toContain(`curl: (${code}) ${message}`);
    });
  });
});

describe("cookies of curl", () => {
  const login: Server = ({ url, fields }) => {
    if (!url.endsWith("/login")) return fields("cookie")[0] ?? "";
    const headers = new Headers({ location: "/home" });
    headers.append("set-cookie", "id=1; HttpOnly; Path=/; Expires=Wed, 01 Jan 2200 00:00:00 GMT");
    headers.append("set-cookie", "wide=2; Domain=.Example.com; Max-Age=1000");
    headers.append("set-cookie", "safe=3; Secure");
    headers.append("set-cookie", "gone=4; Max-Age=0");
    for (const domain of ["com", "other.example", "sub.example.com"]) {
      headers.append("set-cookie", `${domain}=5; Domain=${domain}`);
    }
    return new Response(null, { status: 302, headers });
  };

  it("are written by -c, read by -b and sent with redirects", async () => {
    await withNetwork(login, async ({ run, read }) => {
      const cookies = async (options: string) => (await run(`curl -s ${options}`)).stdout;
      expect(await cookies("-L -c jar -b own=0 example.com/login")).toBe("cookie: id=1; wide=2; own=0");
      expect(read("jar").replace(/\t1\d{9}/, "\tSOON")).toBe(
        "# Netscape HTTP Cookie File\n\nexample.com\tFALSE\t/\tFALSE\t7258118400\tid\t1\n" +
          "example.com\tTRUE\t/\tFALSE\tSOON\twide\t2\nexample.com\tFALSE\t/\tTRUE\t0\tsafe\t3\n",
      );
      expect(await cookies("-b jar https://example.com")).toBe("cookie: id=1; wide=2; safe=3");
      expect(await cookies("-b jar sub.example.com")).toBe("cookie: wide=2");
      expect(await cookies("-b jar notexample.com; curl -s -b none example.com")).toBe(
        "cookie: nullcookie: null",
      );
      expect(await cookies("-L example.com/login")).toBe("cookie: null");
    });
  });

  it("are read from a file of a browser", async () => {
    await withNetwork(login, async ({ run, write }) => {
      write(
        "jar",
        "# x\ty\n#HttpOnly_.example.com\tTRUE\t/\tFALSE\t0\ta\t1\nexample.com\tFALSE\t/\tFALSE\t9\told\t2\n",
      );
      expect((await run("curl -s -b jar sub.example.com")).stdout).toBe("cookie: a=1");
    });
  });
});

describe("failures of curl", () => {
  it.each<[reason: string, code: number]>([
    ["off", 7],
    ["host_not_allowed", 7],
    ["private_address", 7],
    ["unreachable", 7],
    ["unresolved", 6],
    ["timed_out", 28],
    ["too_many_redirects", 47],
    ["response_too_large", 63],
    ["invalid_request", 4],
  ])("%s exits with %d and writes no file", async (reason, code) => {
    await withNetwork(server, async ({ run, list }) => {
      const stderr = `curl: (${code}) It is ${reason}\n`;
      expect(await run(`curl -o f example.com/fail/${reason}`)).toEqual({ stdout: "", stderr, code });
      expect(list()).toEqual([]);
    });
  });

  it.each<[options: string, code: number, stderr: string | RegExp]>([
    ["ftp://x", 1, 'curl: (1) Protocol "ftp" not supported or disabled in libcurl\n'],
    ["'http://a b'", 3, "curl: (3) URL using bad/illegal format or missing URL\n"],
    ["-s example.com/fail/off", 7, ""],
    ["-sS example.com/fail/off", 7, "curl: (7) It is off\n"],
    ["-f example.com/status/404", 22, "curl: (22) The requested URL returned error: 404\n"],
    ["-o /nope/f example.com", 23, "curl: (23) Failed to write /nope/f: No such file or directory\n"],
    ["-o /bin/f example.com", 23, "curl: (23) Failed to write /bin/f: Permission denied\n"],
    ["-o /dev/full example.com", 23, "curl: (23) Failed to write /dev/full: No space left on device\n"],
    ["-O example.com", 23, "curl: (23) Failed writing received data to disk/application\n"],
    ["-d @none example.com", 26, "curl: (26) Failed to open none: No such file or directory\n"],
    ["-T /dev/zero example.com", 27, "curl: memory exhausted\n"],
    ["-sSw @long -o f example.com/longer", 0, ""],
    ["--foo example.com", 2, /^curl: unrecognized option '--foo'\n/],
    ["-x proxy example.com", 2, /^curl: invalid option -- 'x'\n/],
    ["-s", 2, /^curl: no URL specified!\n/],
    ["-s example.com/fail/unresolved example.com/fail/off -o f example.com", 0, ""],
  ])("%s exits with %d", async (options, code, stderr) => {
    await withNetwork(server, async ({ run, write }) => {
      write("long", "%{url_effective}".repeat(99_999));
      const result = await run(`curl ${options}`);
      expect(result.stderr).toMatch(stderr);
      if (typeof stderr === "string") expect(result.stderr).toBe(stderr);
      expect(result.code).toBe(code);
    });
  });

  it("print the body with --fail-with-body", async () => {
    await withNetwork(server, async ({ run }) => {
      const result = await run("curl -s --fail-with-body example.com/status/404");
      expect(result).toEqual({ stdout: "sorry\n", stderr: "", code: 22 });
    });
  });

  it.each([
    ["--retry 3 --retry-delay 0.01 -f", "503", 4],
    ["--retry 3 --retry-delay 0.01 -f", "404", 1],
    ["--retry 2 --retry-delay 0.01", "timed_out", 3],
    ["--retry 2 --retry-delay 0.01", "unreachable", 1],
    ["--retry 2 --retry-delay 0.01 --retry-connrefused", "unreachable", 3],
    ["--retry 2 --retry-delay 0.01 --retry-all-errors", "unresolved", 3],
  ])("with %s after %s: %d attempts", async (options, end, attempts) => {
    const respond: Server = () =>
      /\d/.test(end) ? new Response("x", { status: Number(end) }) : { reason: end };
    await withNetwork(respond, async ({ run, sent }) => {
      const { stderr } = await run(`curl ${options} example.com`);
      expect(sent).toHaveLength(attempts);
      if (attempts > 1)
        expect(stderr).toMatch(/^Warning: Problem: .* Will retry in 0.01 seconds. \d retries left.\n/);
    });
  });

  it("are ended by timeout while waiting for a retry", async () => {
    await withNetwork(
      () => new Response("", { status: 503 }),
      async ({ run }) => {
        const script = "timeout 0.1 curl -s --retry 1 --retry-delay 500 example.com; echo $?";
        expect((await run(script)).stdout).toBe("124\n");
      },
    );
  });

  it("end when a retry succeeds", async () => {
    let count = 0;
    const respond: Server = () => new Response("x", { status: ++count < 3 ? 503 : 200 });
    await withNetwork(respond, async ({ run }) => {
      expect(await run("curl -s --retry 5 --retry-delay 0.01 -f example.com")).toMatchObject({
        stdout: "x",
        code: 0,
      });
    });
  });

  it("respect the time limit of -m across redirects", async () => {
    const respond: Server = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return server(request);
    };
    await withNetwork(respond, async ({ run, sent }) => {
      await run("curl -sL -m 60 example.com/to/302?/x");
      expect(sent[0]?.timeoutMs).toBeLessThanOrEqual(60_000);
      expect(sent[1]?.timeoutMs).toBeLessThanOrEqual(59_985);
    });
  });

  it.each(["curl example.com", "curl --retry 1 --retry-delay 1000 example.com", "wget example.com"])(
    "abort requests when the process is killed: %s",
    async (script) => {
      const arrived = Promise.withResolvers<AbortSignal | undefined>();
      const respond: Server = ({ signal }) => {
        arrived.resolve(signal);
        if (script.includes("retry")) return new Response("", { status: 503 });
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      };
      await withNetwork(respond, async ({ machine, fetch, sent }) => {
        const { process, ended } = machine.start(["bash", "-c", script], { fetch });
        const signal = await arrived.promise;
        await new Promise((resolve) => setTimeout(resolve, 20));
        process.kill("TERM");
        expect((await ended()).end).toEqual({ by: "signal", signal: "TERM" });
        expect(signal?.aborted).toBe(true);
        expect(sent).toHaveLength(1);
      });
    },
  );
});
