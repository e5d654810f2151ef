import { describe, expect, it } from "vitest";
import { partHead, readFormField } from "../../../../src/machine/shell/commands/curl-form.ts";
import { readCustomHeader } from "../../../../src/machine/shell/commands/curl-request.ts";
import {
  type AttemptEnd,
  type RetryPolicy,
  retryDelay,
} from "../../../../src/machine/shell/commands/curl-retry.ts";
import {
  allowedSchemes,
  dispositionName,
  readLocation,
  readUrl,
  remoteName,
} from "../../../../src/machine/shell/commands/curl-url.ts";
import { formatReport, type TransferReport } from "../../../../src/machine/shell/commands/curl-write-out.ts";

const SCHEMES = new Set(["http", "https"]);

describe("a URL of the command line", () => {
  it.each([
    ["example.com", "http://example.com/"],
    ["example.com:8080/a?b#c", "http://example.com:8080/a?b"],
    ["localhost:8080", "http://localhost:8080/"],
    ["HTTPS://Example.com", "https://example.com/"],
    ["http://[2001:db8::1]:80/x", "http://[2001:db8::1]/x"],
    ["example.com/?to=http://other.example", "http://example.com/?to=http://other.example"],
  ])("%s is %s", (text, href) => {
    expect(readUrl(text, { globs: true, schemes: SCHEMES }).href).toBe(href);
  });

  it.each([
    ["http://", 3],
    ["", 3],
    ["http://a b/", 3],
    ["http://x:99999/", 3],
    ["http://example.com/\u0007", 3],
    ["foo://x", 1],
    ["file:///etc/passwd", 1],
    ["ftp://example.com", 1],
    ["http://example.com/{a,b}", 3],
    ["http://example.com/[1-3]", 3],
  ])("%j is refused with %d", (text, exitCode) => {
    expect(() => readUrl(text, { globs: true, schemes: SCHEMES })).toThrow(
      expect.objectContaining({ exitCode }),
    );
  });

  it("may have braces and brackets with -g", () => {
    expect(readUrl("example.com/?a[]={b}", { globs: false, schemes: SCHEMES }).search).toBe("?a[]={b}");
  });

  it("may lead elsewhere only by a scheme that is spoken", () => {
    const from = new URL("http://example.com/a/b?c");
    expect(readLocation("../d e#f", from, SCHEMES).href).toBe("http://example.com/d%20e");
    expect(readLocation("//other.example/", from, SCHEMES).href).toBe("http://other.example/");
    expect(() => readLocation("file:///etc/passwd", from, SCHEMES)).toThrow(
      expect.objectContaining({ exitCode: 1 }),
    );
    expect(() => readLocation("http://", from, SCHEMES)).toThrow(expect.objectContaining({ exitCode: 3 }));
  });

  it.each([
    [[], ["http", "https"]],
    [["=https"], ["https"]],
    [["-http"], ["https"]],
    [["-all,https"], ["https"]],
    [["=http,https"], ["http", "https"]],
    [["=ftp"], []],
    [
      ["-http", "+http"],
      ["http", "https"],
    ],
  ])("of the schemes of --proto %j may have %j", (lists, schemes) => {
    expect([...allowedSchemes(lists)].sort()).toEqual(schemes);
  });

  it.each([
    ["http://example.com/a/b.txt?c=/d", "b.txt"],
    ["http://example.com/a/", ""],
    ["http://example.com", ""],
  ])("%s is called %j", (href, name) => {
    expect(remoteName(new URL(href))).toBe(name);
  });

  it.each([
    ['attachment; filename="a b.txt"', "a b.txt"],
    ["attachment; filename=a.txt; x=y", "a.txt"],
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ['attachment; filename="a\\"b"', 'a"b'],
    ['attachment; filename=".."', undefined],
    ["attachment", undefined],
    [null, undefined],
  ])("with %j is called %j", (disposition, name) => {
    expect(dispositionName(disposition)).toBe(name);
  });
});

describe("a header of -H", () => {
  it.each([
    ["A: b", { name: "A", value: "b" }],
    ["A:b: c ", { name: "A", value: "b: c" }],
    ["A:", { name: "A", value: undefined }],
    ["A;", { name: "A", value: "" }],
    ["A;b", undefined],
    ["A", undefined],
    [": b", undefined],
  ])("%j", (text, header) => {
    expect(readCustomHeader(text)).toEqual(header);
  });
});

describe("a field of -F", () => {
  it.each([
    ["a=b", { name: "a", kind: "text", value: "b" }],
    ["a=", { name: "a", kind: "text", value: "" }],
    ["a=b=c", { name: "a", kind: "text", value: "b=c" }],
    ["a=b;c", { name: "a", kind: "text", value: "b" }],
    ['a="b;c"', { name: "a", kind: "text", value: "b;c" }],
    [
      'a={"x":1};type=application/json',
      { name: "a", kind: "text", value: '{"x":1}', type: "application/json" },
    ],
    ["a=@f", { name: "a", kind: "file", value: "f" }],
    ["a=@-;filename=n", { name: "a", kind: "file", value: "-", filename: "n" }],
    ['a=@"f;1";filename="q\\"x"', { name: "a", kind: "file", value: "f;1", filename: 'q"x' }],
    [
      "a=@f;type=text/x; charset=q;filename=zz",
      { name: "a", kind: "file", value: "f", type: "text/x; charset=q", filename: "zz" },
    ],
    ["a=<f;type=text/x", { name: "a", kind: "content", value: "f", type: "text/x" }],
    ["a=@f;headers=x;type=y/z", { name: "a", kind: "file", value: "f", type: "y/z" }],
  ])("%j", (text, field) => {
    expect(readFormField(text)).toEqual(field);
  });

  it("needs a name", () => {
    expect(() => readFormField("a")).toThrow("badly used");
  });

  it("does not end its head by what a name holds", () => {
    expect(partHead({ name: 'a"\r\nb', filename: "c\n", type: "d/e" }, "--x")).toBe(
      '----x\r\nContent-Disposition: form-data; name="a%22%0D%0Ab"; filename="c%0A"\r\nContent-Type: d/e\r\n\r\n',
    );
  });

  it("is read in no more than linear time", () => {
    const spaces = " ".repeat(200_000);
    const startedAt = Date.now();
    readFormField(`a=@f;type=b;${spaces}`);
    readFormField(`a="${"\\\\".repeat(100_000)}`);
    readCustomHeader(`${spaces}x`);
    expect(Date.now() - startedAt).toBeLessThan(1000);
  });
});

describe("a retry", () => {
  const policy: RetryPolicy = { retries: 3, ofAllErrors: false, ofRefusedConnections: false };
  const fine: AttemptEnd = { exitCode: 0, status: 200, retryAfter: null };
  const start = { attempt: 0, now: 1000, elapsed: 0 };

  it.each<[string, Partial<RetryPolicy>, Partial<AttemptEnd>, Partial<typeof start>, number | undefined]>([
    ["of what went well", {}, {}, {}, undefined],
    ["of 404", {}, { status: 404, exitCode: 22 }, {}, undefined],
    ["of 503", {}, { status: 503 }, {}, 1],
    ["of 429 with -f", {}, { status: 429, exitCode: 22 }, {}, 1],
    ["of a time-out", {}, { status: 0, exitCode: 28 }, {}, 1],
    ["of a refused connection", {}, { status: 0, exitCode: 7 }, {}, undefined],
    ["of a refused connection, asked for", { ofRefusedConnections: true }, { status: 0, exitCode: 7 }, {}, 1],
    ["of an unknown name", {}, { status: 0, exitCode: 6 }, {}, undefined],
    ["of any error", { ofAllErrors: true }, { status: 0, exitCode: 6 }, {}, 1],
    ["the third time", {}, { status: 503 }, { attempt: 2 }, 4],
    ["the fourth time", {}, { status: 503 }, { attempt: 3 }, undefined],
    ["the twentieth time", { retries: 100 }, { status: 503 }, { attempt: 19 }, 600],
    ["with a delay", { delay: 5 }, { status: 503 }, { attempt: 2 }, 5],
    ["when the server says so", {}, { status: 503, retryAfter: "30" }, {}, 30],
    ["at the server's time", {}, { status: 503, retryAfter: "Thu, 01 Jan 1970 00:17:00 GMT" }, {}, 20],
    ["much later", {}, { status: 503, retryAfter: "100000" }, {}, 600],
    ["whenever", {}, { status: 503, retryAfter: "whenever" }, {}, 1],
    ["in time", { maxTime: 10 }, { status: 503 }, { elapsed: 9 }, 1],
    ["too late", { maxTime: 10 }, { status: 503 }, { elapsed: 9.5 }, undefined],
  ])("%s", (_, changedPolicy, end, at, delay) => {
    expect(retryDelay({ ...policy, ...changedPolicy }, { ...fine, ...end }, { ...start, ...at })).toBe(delay);
  });
});

describe("a report", () => {
  const report: TransferReport = {
    url: "example.com",
    effectiveUrl: "https://example.com/",
    method: "PUT",
    status: 200,
    headers: new Headers([
      ["content-type", "text/plain"],
      ["set-cookie", "a=b"],
      ["set-cookie", 'c="d"'],
    ]),
    redirects: 2,
    redirectUrl: "https://example.com/next",
    referer: "",
    headerBytes: 10,
    downloadedBytes: 2000,
    uploadedBytes: 3,
    seconds: 0.5,
    filename: "f",
    index: 1,
    exitCode: 0,
    errorMessage: "",
  };

  it.each([
    ["%{http_code} %{response_code}\\n", "200 200\n"],
    ["%{size_download}/%{size_upload}/%{size_header}", "2000/3/10"],
    ["%{url} %{url_effective} %{urlnum} %{scheme}", "example.com https://example.com/ 1 HTTPS"],
    ["%{time_total} %{speed_download}", "0.500000 4000"],
    ["%{num_redirects} %{redirect_url} %{method}", "2 https://example.com/next PUT"],
    ["%{content_type} %{num_headers} %{filename_effective}", "text/plain 3 f"],
    ["%header{Content-Type}|%header{none}|", "text/plain||"],
    ["%{header_json}", '{"content-type":["text/plain"],\n"set-cookie":["a=b","c=\\"d\\""]\n}'],
    ["a\\tb\\rc\\xd %% 100% %{open", "a\tb\rc\\xd % 100% %{open"],
    ["a%{onerror}b", "a"],
    ["a%{constructor}b", "ab"],
  ])("by %j", (template, text) => {
    expect(formatReport(template, report).stdout).toBe(text);
  });

  it("tells of an error", () => {
    const failed = { ...report, status: 0, exitCode: 6, errorMessage: "no" };
    expect(formatReport("%{http_code} %{exitcode} %{errormsg}%{onerror}!", failed).stdout).toBe("000 6 no!");
  });

  it("goes to both streams, and names what it does not know", () => {
    expect(formatReport("a%{stderr}b%{what}%{stdout}c", report)).toEqual({
      stdout: "ac",
      stderr: "b",
      unknownVariables: ["what"],
    });
  });

  it("tells all that it knows as JSON", () => {
    expect(JSON.parse(formatReport("%{json}", report).stdout)).toMatchObject({
      http_code: 200,
      time_total: 0.5,
      errormsg: null,
      method: "PUT",
    });
  });

  it("has an end", () => {
    expect(() => formatReport("%{json}".repeat(10_000), report)).toThrow(
      expect.objectContaining({ exitCode: 27 }),
    );
  });
});
