import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_ZIP_BYTES, readDeploymentForm } from "../../../../src/features/apps/deployments/form.ts";
import { deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { sha256 } from "../../../../src/lib/common/hash.ts";
import { readMultipart } from "../../../../src/lib/http/multipart.ts";
import { newClient, type TestResponse } from "../../../api.ts";
import { appSource, deploymentForm, postDeployment, zipOf } from "./deployments.ts";

const client = await newClient();

const ZIP = zipOf({
  "index.ts": appSource("form"),
  "main.py": "",
  "readme.md": "",
  "folder/index.jsx": appSource("form").replace(": { invocation_id: string }", ""),
});

function post(fields?: Record<string, string | undefined>, zip: Uint8Array<ArrayBuffer> | undefined = ZIP) {
  return postDeployment(client, deploymentForm(zip, fields));
}

async function expectNothingStored(answer: TestResponse): Promise<void> {
  expect(answer.text).not.toContain("secret");
  expect((await client.get("/deployments")).json).toEqual([]);
  const { objects } = await env.FILES.list({ prefix: `deployments/${client.organizationId}/` });
  expect(objects).toEqual([]);
}

describe("an invalid deployment form is rejected", () => {
  const cases: [string, Record<string, string | undefined>, string][] = [
    ["without an entry point", { entrypoint_rel_path: undefined }, "entrypoint_rel_path"],
    ["with an empty entry point", { entrypoint_rel_path: "" }, "entrypoint_rel_path"],
    ["with a missing entry point", { entrypoint_rel_path: "none.ts" }, "entrypoint_rel_path"],
    ["with a folder as entry point", { entrypoint_rel_path: "folder" }, "entrypoint_rel_path"],
    ["with an entry point outside of the zip", { entrypoint_rel_path: "../index.ts" }, "entrypoint_rel_path"],
    ["with a Python entry point", { entrypoint_rel_path: "main.py" }, "entrypoint_rel_path"],
    ["with an entry point that is not code", { entrypoint_rel_path: "readme.md" }, "entrypoint_rel_path"],
    ["with an unknown region", { region: "aws.eu-west-1" }, "region"],
    ["with an invalid force", { force: "yes" }, "force"],
    ["with too long a version", { version: "v".repeat(256) }, "version"],
    ["with a repository as source", { source: '{"type": "github", "url": "https://example.com"}' }, "source"],
    [
      "with the reserved variable KERNEL_API_KEY",
      { "env_vars[KERNEL_API_KEY]": "secret" },
      "env_vars[KERNEL_API_KEY]",
    ],
    [
      "with the reserved variable KERNEL_BASE_URL",
      { "env_vars[KERNEL_BASE_URL]": "secret" },
      "env_vars[KERNEL_BASE_URL]",
    ],
    [
      "with the reserved variable ENTRYPOINT_RELPATH",
      { "env_vars[ENTRYPOINT_RELPATH]": "secret" },
      "env_vars[ENTRYPOINT_RELPATH]",
    ],
    ["with a variable without a name", { "env_vars[]": "secret" }, "env_vars[]"],
    ["with a dotted variable without a name", { "env_vars.": "secret" }, "env_vars[]"],
    ["with a misspelled variable field", { env_varsA: "secret" }, "env_varsA"],
    ["with an unclosed bracket", { "env_vars[A": "secret" }, "env_vars[A"],
    [
      "with a reserved variable in dot notation",
      { "env_vars.KERNEL_API_KEY": "secret" },
      "env_vars[KERNEL_API_KEY]",
    ],
    ["with an invalid variable name", { "env_vars[A-B]": "secret" }, "env_vars[A-B]"],
    ["with too long a value", { "env_vars[A]": "secret".repeat(11_000) }, "env_vars[A]"],
    ["with variables that are not JSON", { env_vars: "A=secret" }, "env_vars"],
    ["with a variable in JSON that is not a string", { env_vars: '{"A": 1}' }, "env_vars"],
    [
      "with a reserved variable in JSON",
      { env_vars: '{"KERNEL_API_KEY": "secret"}' },
      "env_vars[KERNEL_API_KEY]",
    ],
    [
      "with too many variables",
      Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`env_vars[A${index}]`, "secret"])),
      "env_vars",
    ],
    [
      "with too many bytes of variables",
      Object.fromEntries(
        Array.from({ length: 5 }, (_, index) => [`env_vars[A${index}]`, "é".repeat(30_000)]),
      ),
      "env_vars",
    ],
  ];
  it.each(cases)("%s", async (_, fields, field) => {
    const answer = await post(fields);
    expect(answer.invalidFields).toEqual([field]);
    await expectNothingStored(answer);
  });

  it("without a file or with an invalid zip", async () => {
    for (const zip of [undefined, new Uint8Array(100), zipOf({ "../index.ts": "" })]) {
      const answer = await postDeployment(client, deploymentForm(zip));
      expect(answer.invalidFields).toEqual(["file"]);
      await expectNothingStored(answer);
    }
  });

  it("with too large a zip", async () => {
    const answer = await post({}, new Uint8Array(MAX_ZIP_BYTES + 1));
    expect(answer.status).toBe(413);
    expect(answer.error.message).toMatch(/^file: /);
    await expectNothingStored(answer);
  });

  it("as soon as its variables exceed the limit", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 900) return controller.close();
        sent += 1;
        const name = `env_vars[A${sent}]`;
        const part = `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${"v".repeat(60_000)}\r\n`;
        controller.enqueue(new TextEncoder().encode(sent === 900 ? `${part}--b--\r\n` : part));
      },
    });
    const parts = readMultipart({ contentType: "multipart/form-data; boundary=b", body });
    await expect(readDeploymentForm(parts)).rejects.toThrow(/env_vars/);
    expect(sent).toBeLessThan(10);
  });

  it("when sent as JSON", async () => {
    const answer = await client.post("/deployments", { entrypoint_rel_path: "index.ts" });
    expect(answer.status).toBe(400);
  });

  it("with a message that names Python", async () => {
    expect((await post({ entrypoint_rel_path: "main.py" })).error.message).toMatch(/Python/);
  });
});

describe("a valid deployment form is accepted", () => {
  it("with the required fields only", async () => {
    const body = (await post()).read(deploymentSchema);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{24}$/),
      created_at: expect.any(String),
      updated_at: body.created_at,
      region: "aws.us-east-1a",
      status: "queued",
      version: "latest",
      entrypoint_rel_path: "index.ts",
      env_vars: {},
      source_type: "file",
      source_checksum: await sha256(ZIP),
    });
  });

  it("with all fields, and treats empty ones as absent", async () => {
    const body = (
      await post({
        entrypoint_rel_path: "./folder/index.jsx",
        version: "1.0 β",
        force: "true",
        region: "aws.us-east-1a",
        env_vars: '{"A": "1", "B": "2"}',
        "env_vars[B]": "3",
        "env_vars[C]": "",
        "env_vars.D": "4",
      })
    ).read(deploymentSchema);
    expect(body).toMatchObject({
      entrypoint_rel_path: "folder/index.jsx",
      version: "1.0 β",
      env_vars: { A: "", B: "", C: "", D: "" },
    });
    const empty = await post({ version: "", force: "", region: "", env_vars: "" });
    expect(empty.read(deploymentSchema)).toMatchObject({ version: "latest", env_vars: {} });
  });
});

it("responds with 501 on every route without Dynamic Workers", async () => {
  const { LOADER } = env;
  Reflect.set(env, "LOADER", undefined);
  try {
    const answers = [
      await post(),
      await client.get("/deployments"),
      await client.get("/deployments/any"),
      await client.delete("/deployments/any"),
      await client.get("/deployments/any/events"),
      await client.get("/apps"),
    ];
    for (const { status, error } of answers) {
      expect(status).toBe(501);
      expect(error.message).toContain("LOADER");
    }
  } finally {
    Reflect.set(env, "LOADER", LOADER);
  }
});
