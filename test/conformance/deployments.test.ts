import { APIError, BadRequestError, NotFoundError, toFile } from "@onkernel/sdk";
import type { DeploymentCreateParams, DeploymentFollowResponse } from "@onkernel/sdk/resources/deployments";
import { describe, expect, test } from "vitest";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { keepForFile } from "../outside/keep-for-file.ts";
import { openPackageServer } from "./package-server.ts";
import { useService } from "./use-service.ts";

const PACKAGES = {
  greeting: {
    version: "1.2.0",
    files: {
      "package.json": '{"main": "index.js"}',
      "index.js": 'exports.greet = (who) => "Hello, " + who;',
    },
  },
};

const APP = `import { Kernel, type KernelContext } from "@onkernel/sdk";
import { greet } from "greeting";

const app = new Kernel().app("greeter");
app.action("greet", async (context: KernelContext, payload?: { who: string }) => {
  console.log("greeting", payload?.who);
  return { text: greet(payload?.who), mood: process.env.MOOD };
});
`;

const MANIFEST = JSON.stringify({
  type: "module",
  dependencies: { "@onkernel/sdk": "*", greeting: "^1.0.0" },
  devDependencies: { typescript: "*" },
});

const packages = keepForFile(await openPackageServer(PACKAGES));

const service = await useService({
  settings: { APP_PACKAGE_REGISTRY: packages.origin, ALLOW_PRIVATE_ADDRESSES: "true" },
});
const kernel = service.kernel();

async function deploy(files: Record<string, string>, params: DeploymentCreateParams = {}) {
  const zip = buildZip(Object.entries(files).map(([name, content]) => ({ name, content })));
  return kernel.deployments.create({
    entrypoint_rel_path: "index.ts",
    ...params,
    file: await toFile(zip, "app.zip"),
  });
}

/** Reads a deployment's events like the Kernel CLI: until it is running or has ended. */
async function follow(id: string): Promise<DeploymentFollowResponse[]> {
  const events: DeploymentFollowResponse[] = [];
  for await (const event of await kernel.deployments.follow(id)) {
    events.push(event);
    if (event.event === "deployment_state" && event.deployment.status === "running") break;
  }
  return events;
}

function statesOf(events: DeploymentFollowResponse[]): string[] {
  return events.flatMap((event) => (event.event === "deployment_state" ? [event.deployment.status] : []));
}

test("an app with a package is deployed, listed, run, followed and stopped", async () => {
  const created = await deploy(
    { "index.ts": APP, "package.json": MANIFEST },
    { version: "1.0", env_vars: { MOOD: "sec=ret & more" }, region: "aws.us-east-1a", force: false },
  );
  expect(created).toMatchObject({
    status: "queued",
    region: "aws.us-east-1a",
    entrypoint_rel_path: "index.ts",
    env_vars: { MOOD: "" },
    source_type: "file",
    source_checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const events = await follow(created.id);
  expect(statesOf(events)).toEqual(["queued", "in_progress", "running"]);
  expect(events.at(-2)).toMatchObject({
    event: "app_version_summary",
    app_name: "greeter",
    version: "1.0",
    actions: [{ name: "greet" }],
  });
  expect(packages.asked.toSorted()).toEqual(["/greeting", "/greeting.tgz"]);

  const deployment = await kernel.deployments.retrieve(created.id);
  expect(deployment).toMatchObject({ id: created.id, status: "running" });
  expect(await Array.fromAsync(kernel.deployments.list({ app_name: "greeter", limit: 1 }))).toEqual([
    deployment,
  ]);
  expect(await Array.fromAsync(kernel.deployments.list({ app_name: "nobody" }))).toEqual([]);
  const apps = await Array.fromAsync(kernel.apps.list({ app_name: "greeter", version: "1.0" }));
  expect(apps).toMatchObject([{ app_name: "greeter", deployment: created.id, env_vars: { MOOD: "" } }]);

  const { output } = await kernel.invocations.create({
    app_name: "greeter",
    action_name: "greet",
    version: "1.0",
    payload: '{"who": "Ada"}',
  });
  expect(JSON.parse(output ?? "")).toEqual({ text: "Hello, Ada", mood: "sec=ret & more" });
  for await (const event of await kernel.deployments.follow(created.id, { since: "5m" })) {
    if (event.event === "log" && event.message === "greeting Ada") break;
  }

  const rest = Array.fromAsync(await kernel.deployments.follow(created.id));
  await kernel.deployments.delete(created.id);
  expect(statesOf(await rest)).toEqual(["queued", "in_progress", "running", "stopped"]);
  expect(await Array.fromAsync(kernel.apps.list({ app_name: "greeter" }))).toEqual([]);
  await kernel.deployments.delete(created.id);
  await expect(kernel.deployments.retrieve("nothing")).rejects.toThrow(NotFoundError);
});

describe("a deployment", () => {
  test("that fails reports the source position and ends its events", async () => {
    const { id } = await deploy({
      "index.ts": 'import "./lib/broken";',
      "lib/broken.ts": 'const fine: number = 1;\n\nthrow new Error("broken " + fine);',
    });
    const events = await Array.fromAsync(await kernel.deployments.follow(id));
    expect(statesOf(events)).toEqual(["queued", "in_progress", "failed"]);
    const { status_reason } = await kernel.deployments.retrieve(id);
    expect(status_reason).toMatch(/Error: broken 1\n.*lib\/broken\.ts:3:7/);
    expect(events.at(-2)).toMatchObject({
      event: "error",
      error: { code: "deployment_failed", message: status_reason },
    });
  });

  test("fails for an unknown package", async () => {
    const { id } = await deploy({
      "index.ts": APP,
      "package.json": MANIFEST.replaceAll("greeting", "nowhere"),
    });
    await Array.fromAsync(await kernel.deployments.follow(id));
    expect((await kernel.deployments.retrieve(id)).status_reason).toMatch(/Failed to install nowhere: .*404/);
  });

  test("fails for an existing version unless forced", async () => {
    const files = { "index.ts": APP, "package.json": MANIFEST };
    expect(statesOf(await follow((await deploy(files, { version: "2" })).id)).at(-1)).toBe("running");
    const again = await deploy(files, { version: "2" });
    expect(statesOf(await follow(again.id)).at(-1)).toBe("failed");
    const forced = await deploy(files, { version: "2", force: true });
    expect(statesOf(await follow(forced.id)).at(-1)).toBe("running");
    const [app, ...others] = await Array.fromAsync(kernel.apps.list({ app_name: "greeter", version: "2" }));
    expect([app?.deployment, others]).toEqual([forced.id, []]);
  });
});

test("invalid deployments are rejected", async () => {
  const source = { type: "github", url: "https://example.com", ref: "main", entrypoint: "index.ts" } as const;
  const errors = await Promise.all([
    kernel.deployments.create({ source }).catch((error) => error),
    deploy({ "main.py": "" }, { entrypoint_rel_path: "main.py" }).catch((error) => error),
    deploy({ "index.ts": APP }, { env_vars: { KERNEL_API_KEY: "x" } }).catch((error) => error),
  ]);
  for (const error of errors) expect(error).toBeInstanceOf(BadRequestError);
  const messages = errors.map((error) => (error instanceof APIError ? error.message : ""));
  expect(messages[0]).toMatch(/source: .*not supported/);
  expect(messages[1]).toMatch(/entrypoint_rel_path: .*Python/);
  expect(messages[2]).toMatch(/env_vars\[KERNEL_API_KEY\]: is reserved/);
});

test("a deployment interrupted by SIGKILL completes after a restart", async () => {
  const release = packages.hold();
  packages.asked.length = 0;
  const { id } = await deploy({ "index.ts": APP, "package.json": MANIFEST });
  await expect.poll(() => packages.asked).toEqual(["/greeting"]);
  await service.kill();
  release();
  await service.restart();
  const events = await follow(id);
  expect(statesOf(events)).toEqual(["queued", "in_progress", "running"]);
  expect(await Array.fromAsync(kernel.apps.list({ app_name: "greeter", version: "latest" }))).toMatchObject([
    { deployment: id },
  ]);
});
