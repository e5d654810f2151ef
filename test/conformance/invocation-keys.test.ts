import { AuthenticationError } from "@onkernel/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import { type DeployedApp, deployApp, invoke, invokeAsync } from "./apps.ts";
import { SharedService } from "./shared-service.ts";

const SOURCE = `
app.action("tell-key", async (context: KernelContext) => {
  console.log(process.env.KERNEL_API_KEY);
  await new Promise(() => {});
});

app.action("call", async (context: KernelContext, payload?: any) => {
  const { method, path, body } = payload;
  const response = await fetch(process.env.KERNEL_BASE_URL + path, {
    method,
    body,
    headers: {
      authorization: "Bearer " + process.env.KERNEL_API_KEY,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
  });
  return { status: response.status, text: await response.text() };
});
`;

let app: DeployedApp;

const service = await SharedService.use();

beforeAll(async () => {
  app = await deployApp(service.kernel(), SOURCE);
});

describe("an invocation's API key", () => {
  test.each([
    ["GET", "/org/api_keys", 403],
    ["POST", "/org/api_keys", 403],
    ["GET", "/org/limits", 403],
    ["GET", "/admin/organizations", 401],
    ["GET", "/deployments", 403],
    ["GET", "/apps", 403],
    ["GET", "/invocations", 403],
    ["POST", "/invocations", 403],
    ["GET", "/profiles", 403],
    ["GET", "/proxies", 403],
    ["GET", "/browser_pools", 403],
  ])("is rejected by %s %s", async (method, path, status) => {
    const payload = { method, path, ...(method === "POST" ? { body: "{}" } : {}) };
    const { output } = await invoke(service.kernel(), app, "call", { payload });
    expect(JSON.parse(output ?? "")).toMatchObject({ status });
  });

  test("cannot access other invocations and sessions", async () => {
    const kernel = service.kernel();
    const other = await invokeAsync(kernel, app, "tell-key");
    await expect.poll(() => kernel.invocations.retrieve(other)).toMatchObject({ status: "running" });
    const { session_id } = await kernel.browsers.create();
    const requestStatus = async (method: string, path: string, body?: object) => {
      const payload = { method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return JSON.parse((await invoke(kernel, app, "call", { payload })).output ?? "").status;
    };
    expect(await requestStatus("GET", `/invocations/${other}`)).toBe(403);
    expect(await requestStatus("PATCH", `/invocations/${other}`, { status: "failed" })).toBe(403);
    expect(await requestStatus("GET", `/invocations/${other}/events`)).toBe(403);
    expect(await requestStatus("GET", `/browsers/${session_id}`)).toBe(404);
    expect(await requestStatus("DELETE", `/browsers/${session_id}`)).toBe(404);
    expect(await requestStatus("POST", `/browsers/${session_id}/process/exec`, { command: "id" })).toBe(404);
    expect(await requestStatus("GET", "/browsers")).toBe(200);
    expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
    expect(await kernel.invocations.update(other, { status: "failed" })).toMatchObject({ status: "failed" });
    await kernel.browsers.deleteByID(session_id);
  });

  test("is invalid once its invocation has finished", async () => {
    const kernel = service.kernel();
    const id = await invokeAsync(kernel, app, "tell-key");
    const events = await kernel.invocations.follow(id);
    let apiKey = "";
    for await (const event of events) {
      if (event.event !== "log") continue;
      apiKey = event.message;
      break;
    }
    service.keepSecret(apiKey);
    const runKernel = service.kernel({ apiKey });
    expect(await runKernel.invocations.retrieve(id)).toMatchObject({ status: "running" });
    await kernel.invocations.update(id, { status: "failed" });
    await expect(runKernel.invocations.retrieve(id)).rejects.toThrow(AuthenticationError);
    await expect(runKernel.browsers.create()).rejects.toThrow(AuthenticationError);
  });
});
