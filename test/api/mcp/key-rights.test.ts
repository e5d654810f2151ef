import { describe, expect, it } from "vitest";
import { z } from "zod";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { createKey, createProject } from "../../features/organizations/projects/projects.ts";
import { MCPConnection } from "./connect.ts";

useFakeBrowsers();

const listSchema = z.object({ items: z.array(z.object({ session_id: z.string() })) });
const owner = await newClient();

describe("the rights of a key", () => {
  it("limit its tools to sessions", async () => {
    const mcp = await MCPConnection.open(await createKey(owner, { access: "sessions" }));
    expect((await mcp.json(listSchema, "manage_browsers", { action: "list" })).items).toEqual([]);
    for (const name of ["manage_profiles", "manage_proxies", "manage_extensions", "manage_apps"]) {
      const action = name === "manage_apps" ? "list_apps" : "list";
      expect(await mcp.error(name, { action }), name).toContain("This API key has sessions access");
    }
    await mcp.end();
  });

  it("limit its tools to a project", async () => {
    const { session_id } = await owner.createSession();
    const { id } = await createProject(owner);
    const mcp = await MCPConnection.open(await createKey(owner, { project_id: id }));
    expect((await mcp.json(listSchema, "manage_browsers", { action: "list" })).items).toEqual([]);
    for (const action of ["get", "delete"]) {
      expect(await mcp.error("manage_browsers", { action, session_id })).toContain("not found");
    }
    expect(await mcp.error("browser_navigate", { session_id, url: "data:," })).toContain("not found");
    expect((await owner.get(`/browsers/${session_id}`)).status).toBe(200);
    await mcp.end();
  });
});
