import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toFile } from "@onkernel/sdk";
import { describe, expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";
import { openSite } from "../conformance/site.ts";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { keepForFile } from "../outside/keep-for-file.ts";

const APPS = join(import.meta.dirname, "../../examples/apps");

const service = await SharedService.use();
const kernel = service.kernel();
const site = keepForFile(await openSite());

/** Deploys an example folder and waits until it is running. */
async function deploy(folder: string): Promise<void> {
  const files = readdirSync(join(APPS, folder)).map((name) => ({
    name,
    content: readFileSync(join(APPS, folder, name), "utf8"),
  }));
  const { id } = await kernel.deployments.create({
    file: await toFile(buildZip(files), "app.zip"),
    entrypoint_rel_path: "index.ts",
  });
  for await (const event of await kernel.deployments.follow(id)) {
    if (event.event !== "deployment_state") continue;
    if (event.deployment.status === "running") return;
    expect(event.deployment.status, event.deployment.status_reason).not.toBe("failed");
  }
}

async function invoke(app: string, action: string, payload: object): Promise<unknown> {
  const { status, status_reason, output } = await kernel.invocations.create({
    app_name: app,
    action_name: action,
    version: "latest",
    payload: JSON.stringify(payload),
  });
  expect(status, status_reason).toBe("succeeded");
  return JSON.parse(output ?? "null");
}

describe("examples/apps", () => {
  test("page-report describes a page and ends its session", async () => {
    await deploy("page-report");
    expect(await invoke("page-report", "report", { url: site.origin })).toEqual({
      title: "Home",
      headings: ["Home"],
      links: [
        { text: "download", url: `${site.origin}/download` },
        { text: "popup", url: `${site.origin}/popup` },
      ],
    });
    const sessions = await Array.fromAsync(kernel.browsers.list({ status: "all" }));
    expect(sessions.map(({ deleted_at }) => typeof deleted_at)).toEqual(["string"]);
  });

  test("csv-summary summarizes numeric columns", async () => {
    await deploy("csv-summary");
    expect(await invoke("csv-summary", "summarize", { csv: "ship,length\nVenus,70\nMars,80\n" })).toEqual({
      length: { count: 2, sum: 150, mean: 75 },
    });
  });
});
