import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/lib/common/errors.ts";
import {
  type MultipartLimits,
  readMultipart,
  readPartText,
  withForm,
} from "../../../src/lib/http/multipart.ts";
import { sizeOfLane } from "../../lane.ts";

const CONTENT_TYPE = "multipart/form-data; boundary=limit";

interface ReadPart {
  name: string;
  filename: string | undefined;
  contentType: string | undefined;
  content: string;
}

/** Decodes one character per byte, for readable diffs. */
function toText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Encodes a text as UTF-8, one character per byte. */
function utf8(text: string): string {
  return toText(new TextEncoder().encode(text));
}

/** Streams the bytes in chunks that cycle through the sizes. */
function inChunks(bytes: Uint8Array, sizes: number[]): ReadableStream<Uint8Array> {
  let offset = 0;
  let piece = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      const size = sizes[piece++ % sizes.length] ?? bytes.length;
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
    },
  });
}

async function contentOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return toText(new Uint8Array(await new Response(stream).arrayBuffer()));
}

async function readAll(
  body: string | ReadableStream<Uint8Array>,
  contentType = CONTENT_TYPE,
  limits?: MultipartLimits,
): Promise<ReadPart[]> {
  const stream = typeof body === "string" ? inChunks(toBytes(body), [65536]) : body;
  const parts: ReadPart[] = [];
  for await (const part of readMultipart({ contentType, body: stream }, limits)) {
    const { name, filename, contentType } = part;
    const content = await contentOf(part.body).catch((error: unknown) => {
      throw part.failure ?? error;
    });
    parts.push({ name, filename, contentType, content });
  }
  return parts;
}

function part(headers: string, content: string): string {
  return `--limit\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
}

const refusal = (message: string | RegExp) =>
  expect.objectContaining({ code: "bad_request", message: expect.stringMatching(message) });

describe("readMultipart", () => {
  it("yields names, file names, types and contents in order", async () => {
    const form = new FormData();
    form.append("files[0].dest_path", "/tmp/a");
    form.append("files[0].file", new File(["\x00\r\n--\r\ncontent"], "a.bin", { type: "image/png" }));
    form.append("empty", new File([], ""));
    const request = new Request("https://example.com", { method: "POST", body: form });

    const contentType = request.headers.get("content-type") ?? "";
    expect(await readAll(request.body ?? "", contentType)).toEqual([
      { name: "files[0].dest_path", filename: undefined, contentType: undefined, content: "/tmp/a" },
      {
        name: "files[0].file",
        filename: "a.bin",
        contentType: "image/png",
        content: "\x00\r\n--\r\ncontent",
      },
      { name: "empty", filename: "", contentType: "application/octet-stream", content: "" },
    ]);
  });

  it.each([
    ["no part", "--limit--", []],
    ["a preamble and an epilogue", `Hello\r\n${part('name="a"', "1")}--limit--\r\nBye\r\n--limit\r\n`, ["1"]],
    ["white space after boundaries", `--limit \t\r\n${part('name="a"', "1").slice(9)}--limit-- \r\n`, ["1"]],
    [
      "content like a boundary",
      `${part('name="a"', "\r\n--limi\r\n-limit--limit--\r\n--\r")}--limit--`,
      ["\r\n--limi\r\n-limit--limit--\r\n--\r"],
    ],
    ["empty contents", `${part('name="a"', "")}${part('name="b"', "\r\n")}--limit--`, ["", "\r\n"]],
    ["a line feed before the boundary", `${part('name="a"', "1\n--limit--\n")}--limit--`, ["1\n--limit--\n"]],
  ])("reads a form with %s", async (_, body, contents) => {
    expect((await readAll(body)).map(({ content }) => content)).toEqual(contents);
  });

  it.each([
    ['name="a"', "a", undefined],
    ["name=a;filename=b", "a", "b"],
    ['filename="b"; name="a"', "a", "b"],
    ['NAME="a"; FileName="b" ;', "a", "b"],
    ['name="files[0][file]"; filename="a;b=c.txt"', "files[0][file]", "a;b=c.txt"],
    [`name="${utf8("für")}"; filename="${utf8("日本🎉.txt")}"`, "für", "日本🎉.txt"],
    ['name="a%22b%0D%0Ac"; filename="100%25 %41.txt"', 'a"b\r\nc', "100%25 %41.txt"],
    ['name="a"; filename="a\\"b\\\\c\\d.txt"', "a", 'a"b\\c\\d.txt'],
    [`name="a"; filename="x"; filename*=UTF-8''na%C3%AFve%20%22.txt`, "a", 'naïve ".txt'],
    [`name="a"; filename*=iso-8859-1'en'%A3.txt`, "a", "£.txt"],
    [`name="a"; filename="x"; filename*=koi8-r''%A3.txt`, "a", "x"],
    ['name="a"; filename="=?UTF-8?B?YQ==?="', "a", "=?UTF-8?B?YQ==?="],
    ['name=""; filename=""', "", ""],
    ['name="a";\r\n filename="b"', "a", "b"],
    ['name="a"; filename="\xff"', "a", "\ufffd"],
  ])("reads the disposition %s", async (disposition, name, filename) => {
    const parts = await readAll(`${part(disposition, "")}--limit--`);
    expect(parts).toEqual([{ name, filename, contentType: undefined, content: "" }]);
  });

  it.each([
    ["multipart/form-data; boundary=a", "a"],
    ['Multipart/Form-Data;charset=utf-8; boundary="a b=:;,?/"', "a b=:;,?/"],
    ["multipart/form-data; boundary=----=_Part_1.2", "----=_Part_1.2"],
    [`multipart/form-data; boundary=${"x".repeat(70)}`, "x".repeat(70)],
  ])("accepts the content type %s", async (contentType, boundary) => {
    const body = `--${boundary}\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--${boundary}--`;
    expect(await readAll(body, contentType)).toMatchObject([{ name: "a", content: "1" }]);
  });

  it.each([
    ["", "content-type: the body must be sent as multipart/form-data"],
    ["application/json", "content-type: the body must be sent as"],
    ["multipart/form-database; boundary=a", "content-type: the body must be sent as"],
    ["multipart/mixed; boundary=a", "content-type: the body must be sent as"],
    ["multipart/form-data", "content-type: must name the boundary"],
    ["multipart/form-data; boundary=", "content-type: a parameter"],
    ['multipart/form-data; boundary=""', "content-type: the boundary must have"],
    ['multipart/form-data; boundary="a', "content-type: a parameter"],
    ['multipart/form-data; boundary="a "', "content-type: the boundary must have"],
    ["multipart/form-data; boundary=a; boundary=b", 'content-type: "boundary" is given twice'],
    [`multipart/form-data; boundary=${"x".repeat(71)}`, "content-type: the boundary must have"],
    ["multipart/form-data; boundary=ä", "content-type: the boundary must have"],
  ])("rejects the content type %j", async (contentType, message) => {
    await expect(readAll("--a--", contentType)).rejects.toEqual(refusal(message));
  });

  const disposition = 'content-disposition: form-data; name="a"';
  it.each([
    ["an empty body", "", "breaks off before its last boundary"],
    ["another boundary", "--other\r\n\r\n", "breaks off before"],
    ["a long preamble", "x".repeat(20_000), "does not begin with its boundary"],
    ["a truncated boundary", "--limit", "breaks off before"],
    ["nothing after a boundary", "--limit\r\n", "breaks off before"],
    ["a truncated header", "--limit\r\ncontent-dis", "breaks off before"],
    ["truncated content", part('name="a"', "123"), "breaks off before"],
    ["a truncated last boundary", `${part('name="a"', "123")}--limit-`, "breaks off before"],
    ["an overlong boundary", `--limits\r\n${disposition}\r\n\r\n`, "part 1 .* continues after the boundary"],
    ["bare line feeds", `--limit\n${disposition}\n\n1\n--limit--\n\r\n\r\n`, "part 1 .* continues after"],
    ["no headers", "--limit\r\n\r\n1\r\n--limit--", "part 1 .* no header content-disposition"],
    [
      "a disposition other than form-data",
      "--limit\r\ncontent-disposition: attachment; name=a\r\n\r\n",
      "part 1 .* no header",
    ],
    ["no name", part('filename="a"', ""), "part 1 .* has no name"],
    ["a second part without a name", part("name=a", "") + part("x=y", ""), "part 2 .* has no name"],
    ["two names", part("name=a; name=b", ""), 'part 1 .* "name" is given twice'],
    ["two dispositions", `--limit\r\n${disposition}\r\n${disposition}\r\n\r\n`, "given twice"],
    ["an unclosed quote", part('name="a', ""), "a parameter of its headers cannot be read"],
    ["a broken filename*", part("name=a; filename*=utf-8''%f", ""), "not encoded as RFC 5987 says"],
    ["a line without a colon", `--limit\r\n${disposition}\r\nnonsense\r\n\r\n`, "is no header"],
    ["a NUL in a header", `--limit\r\n${disposition}\0\r\n\r\n`, "is no header"],
    [
      "an encoding",
      `--limit\r\n${disposition}\r\ncontent-transfer-encoding: base64\r\n\r\n`,
      "must be binary",
    ],
    [
      "long headers",
      part(`name="${"x".repeat(20_000)}"`, ""),
      "headers of part 1 have more than 16384 bytes",
    ],
  ])("rejects a form with %s", async (_, body, message) => {
    await expect(readAll(body)).rejects.toEqual(refusal(message));
    await expect(readAll(inChunks(toBytes(body), [1]))).rejects.toEqual(refusal(message));
  });

  it("rejects a request without a body", async () => {
    const parts = readMultipart({ contentType: CONTENT_TYPE, body: null });
    await expect(parts.next()).rejects.toEqual(refusal("it is empty"));
  });

  it("limits the number of parts", async () => {
    const limits = { parts: 3, headerBytes: 1000 };
    const body = (count: number) => `${part("name=a", "").repeat(count)}--limit--`;
    expect(await readAll(body(3), CONTENT_TYPE, limits)).toHaveLength(3);
    await expect(readAll(body(4), CONTENT_TYPE, limits)).rejects.toEqual(refusal("more than 3 parts"));
    expect(await readAll(body(1000))).toHaveLength(1000);
    await expect(readAll(body(1001))).rejects.toEqual(refusal("more than 1000 parts"));
  });

  it("limits the length of headers", async () => {
    const filler = "x".repeat(16 * 1024 - "\r\ncontent-disposition: form-data; name=".length);
    const body = (name: string) =>
      `--limit\r\ncontent-disposition: form-data; name=${name}\r\n\r\n\r\n--limit--`;
    expect(await readAll(body(filler))).toMatchObject([{ name: filler }]);
    await expect(readAll(body(`${filler}x`))).rejects.toEqual(refusal("headers of part 1"));
  });
});

describe("readMultipart with partly read parts", () => {
  const body = `${part("name=a", "1".repeat(200_000))}${part("name=b", "2")}--limit--`;
  const open = () => readMultipart({ contentType: CONTENT_TYPE, body: inChunks(toBytes(body), [1000]) });

  it("skips unread parts", async () => {
    const names: string[] = [];
    for await (const { name } of open()) names.push(name);
    expect(names).toEqual(["a", "b"]);
  });

  it("skips the rest of a cancelled part", async () => {
    const contents: string[] = [];
    for await (const { name, body } of open()) {
      if (name === "b") contents.push(await contentOf(body));
      else for await (const chunk of body) if (chunk.length > 0) break;
    }
    expect(contents).toEqual(["2"]);
  });

  it("yields the next part only after the previous one is read", async () => {
    const parts = open();
    const first = (await parts.next()).value;
    if (!first) throw new Error("the form has no part");
    const reader = first.body.getReader();
    await reader.read();

    const order: string[] = [];
    const second = parts.next().then(() => order.push("next part"));
    while (!(await reader.read()).done);
    order.push("read");
    await second;
    expect(order).toEqual(["read", "next part"]);
  });

  it("fails the part and the form when the body is truncated", async () => {
    const cut = inChunks(toBytes(body.slice(0, 100_000)), [1000]);
    const parts = readMultipart({ contentType: CONTENT_TYPE, body: cut });
    const first = (await parts.next()).value;
    if (!first) throw new Error("the form has no part");
    expect(first.failure).toBeUndefined();
    await expect(contentOf(first.body)).rejects.toThrow();
    expect(first.failure).toEqual(refusal("breaks off before its last boundary"));
    await expect(parts.next()).rejects.toEqual(refusal("breaks off before its last boundary"));
  });

  it("fails with 400 on a disconnect and passes on body limit errors", async () => {
    const failing = (error: Error) => {
      const pieces = [toBytes(body.slice(0, 70_000))];
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          else controller.error(error);
        },
      });
    };
    await expect(readAll(failing(new TypeError("Network connection lost.")))).rejects.toEqual(
      refusal("it breaks off"),
    );
    const tooLarge = new ServiceError("payload_too_large", "too large");
    await expect(readAll(failing(tooLarge))).rejects.toBe(tooLarge);

    const parts = readMultipart({ contentType: CONTENT_TYPE, body: failing(tooLarge) });
    await expect(contentOf((await parts.next()).value?.body ?? failing(tooLarge))).rejects.toThrow();
    await expect(parts.next()).rejects.toBe(tooLarge);
  });

  it("continues when the consumer of a part fails", async () => {
    const names: string[] = [];
    for await (const { name, body, failure } of open()) {
      names.push(name);
      const full = new WritableStream({
        write: () => {
          throw new Error("the disk is full");
        },
      });
      await expect(body.pipeTo(full)).rejects.toThrow("the disk is full");
      expect(failure).toBeUndefined();
    }
    expect(names).toEqual(["a", "b"]);
  });

  it("cancels the body when the caller stops", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(toBytes(`${part("name=a", "")}${part("name=b", "")}`)),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const { name } of readMultipart({ contentType: CONTENT_TYPE, body: endless })) {
      if (name === "b") break;
    }
    expect(cancelled).toBe(true);
  });
});

describe("withForm", () => {
  it("reads the rest of a rejected form to keep the connection open", async () => {
    let remaining = 100;
    const body = new ReadableStream({
      type: "bytes",
      start: (controller) => controller.enqueue(toBytes(part("name=a", ""))),
      pull(controller) {
        if (remaining === 0) return controller.close();
        remaining--;
        controller.enqueue(toBytes("x".repeat(10_000)));
      },
    });
    const request = new Request("https://service.invalid/", {
      method: "POST",
      headers: { "content-type": CONTENT_TYPE },
      body,
    });
    const read = withForm(request, async (parts) => {
      for await (const { name } of parts) throw new Error(`${name} is refused`);
    });
    await expect(read).rejects.toThrow("a is refused");
    await expect.poll(() => remaining).toBe(0);
  });
});

describe("readMultipart streaming", () => {
  it("reads no more of the body than requested", async () => {
    let produced = 0;
    const head = toBytes("--limit\r\ncontent-disposition: form-data; name=a\r\n\r\n");
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = produced === 0 ? head : new Uint8Array(4096);
          produced += piece.length;
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    const parts = readMultipart({ contentType: CONTENT_TYPE, body });
    const reader = (await parts.next()).value?.body.getReader();
    let received = 0;
    while (received < 10 * 1024 * 1024) {
      const { value } = (await reader?.read()) ?? {};
      received += value?.length ?? 0;
      expect(produced - received).toBeLessThan(128 * 1024);
    }
    await reader?.cancel();
    await parts.return();
  });

  it("supports BYOB readers", async () => {
    const content = Array.from({ length: 100_000 }, (_, index) => String.fromCharCode(index % 251)).join("");
    const body = inChunks(toBytes(`${part("name=a", content)}--limit--`), [70_000]);
    for await (const part of readMultipart({ contentType: CONTENT_TYPE, body })) {
      const reader = part.body.getReader({ mode: "byob" });
      let received = "";
      let buffer = new ArrayBuffer(1500);
      for (;;) {
        const { done, value } = await reader.read(new Uint8Array(buffer));
        if (done) break;
        received += toText(value);
        buffer = value.buffer;
      }
      expect(received).toBe(content);
    }
  });
});

describe("readMultipart with random input", () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => toText(array));
  const nearBoundary = fc
    .array(fc.constantFrom("\r", "\n", "-", "--", "\r\n--", "\r\n--limi", "--limit", "limit", "x"), {
      maxLength: 30,
    })
    .map((pieces) => pieces.join("").replaceAll("\r\n--limit", "\r\n--lim"));
  const names = fc
    .string({ unit: "grapheme", maxLength: 20 })
    .filter((name) => !/[\0\\\n\r"]|%(22|0[ad])/i.test(name));
  const forms = fc.array(
    fc.record({
      name: names,
      filename: fc.option(names, { nil: undefined }),
      content: fc.oneof(bytes, nearBoundary),
    }),
    { maxLength: 5 },
  );
  const encode = (parts: { name: string; filename: string | undefined; content: string }[]) =>
    `${parts
      .map(({ name, filename, content }) =>
        part(
          `name="${utf8(name)}"${filename === undefined ? "" : `; filename="${utf8(filename)}"`}`,
          content,
        ),
      )
      .join("")}--limit--\r\n`;

  it("yields the same parts for any chunking", async () => {
    await fc.assert(
      fc.asyncProperty(
        forms,
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
        async (parts, sizes) => {
          fc.pre(parts.every(({ content }) => !`\r\n${content}\r\n`.includes("\r\n--limit")));
          const read = await readAll(inChunks(toBytes(encode(parts)), sizes));
          expect(read).toEqual(parts.map((part) => ({ ...part, contentType: undefined })));
        },
      ),
      { numRuns: sizeOfLane(60, 300) },
    );
  });

  it("reads a damaged body or rejects it with 400", async () => {
    const damage = fc.array(
      fc.record({ at: fc.nat(), remove: fc.nat(20), insert: fc.oneof(bytes, nearBoundary) }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(forms, damage, fc.integer({ min: 1, max: 300 }), async (parts, damages, size) => {
        let body = encode(parts);
        for (const { at, remove, insert } of damages) {
          const position = at % (body.length + 1);
          body = body.slice(0, position) + insert + body.slice(position + remove);
        }
        const result = await readAll(inChunks(toBytes(body), [size])).catch((error: unknown) => error);
        if (!Array.isArray(result)) expect(result).toEqual(refusal(/malformed/));
      }),
      { numRuns: sizeOfLane(100, 500) },
    );
  });

  it("reads FormData bodies with any name and content", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 20 }).map((name) => name.replace(/\r\n?|\n/g, "\r\n")),
        fc.uint8Array({ maxLength: 500 }),
        async (name, content) => {
          fc.pre(!/[\\%\0]/.test(name));
          const form = new FormData();
          form.append(name, new File([content], name));
          const request = new Request("https://example.com", { method: "POST", body: form });
          const parts = await readAll(request.body ?? "", request.headers.get("content-type") ?? "");
          expect(parts).toMatchObject([{ name, filename: name, content: toText(content) }]);
        },
      ),
      { numRuns: sizeOfLane(20, 100) },
    );
  });
});

describe("readPartText", () => {
  const read = async (content: string, limit: number) => {
    const body = inChunks(toBytes(`${part("name=a", content)}--limit--`), [3]);
    for await (const part of readMultipart({ contentType: CONTENT_TYPE, body }))
      return await readPartText(part, limit);
    throw new Error("the form has no part");
  };

  it("returns text within its limit", async () => {
    expect(await read(utf8("/tmp/für"), 9)).toBe("/tmp/für");
    await expect(read(utf8("/tmp/für"), 8)).rejects.toEqual(refusal("^a: must have at most 8 bytes"));
  });

  it.each([["\xff"], ["\xc3"]])("rejects %j as invalid UTF-8", async (content) => {
    await expect(read(content, 10)).rejects.toEqual(refusal("^a: must be text in UTF-8"));
  });
});
