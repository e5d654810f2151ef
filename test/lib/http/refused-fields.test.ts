import { expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

useFakeBrowsers();
const client = await newClient();
const session = `/browsers/${(await client.createSession({ timeout_seconds: 600 })).session_id}`;

const TYPES = '"custom", "datacenter", "isp", "residential", "mobile"';

it.each<[problem: string, method: string, path: string, body?: object]>([
  ["type: is required", "POST", "/proxies", {}],
  [`type: must be one of ${TYPES}`, "POST", "/proxies", { type: "satellite" }],
  ["name: must be a string", "POST", "/browser_pools", { size: 1, name: null }],
  ["limit: must be given once, not 2 times", "GET", "/browsers?limit=1&limit=2"],
  ["limit: must be given once, not 3 times", "GET", "/profiles?limit=1&limit=1&limit=1"],
  ["status: must be given once, not 2 times", "GET", "/browsers?status=active&status=deleted"],
  ["limit: must be a number from 1 to 100", "GET", "/browsers?limit=x"],
  ["text: must be a string", "POST", "{session}/computer/type", { text: 1 }],
  ["text: is required", "POST", "{session}/computer/type", {}],
  ["text: must be a string", "POST", "{session}/computer/clipboard/write", { text: 1 }],
  ["code: must be a string", "POST", "{session}/playwright/execute", { code: 1 }],
  [
    'keys.0: a key is missing after + in "Ctrl+"',
    "POST",
    "{session}/computer/press_key",
    { keys: ["Ctrl+"] },
  ],
  ['keys.0: a key is missing before + in "+a"', "POST", "{session}/computer/press_key", { keys: ["+a"] }],
])("%s: %s %s %j", async (problem, method, path, body) => {
  const answer = await client.call(method, path.replace("{session}", session), { body });
  expect(answer.status, answer.text).toBe(400);
  expect(answer.error.details?.map(({ message }) => message)).toEqual([problem]);
});

it("says that a directory cannot be moved into itself", async () => {
  for (const path of ["/tmp/a", "/tmp/a/b"]) {
    const made = await client.call("PUT", `${session}/fs/create_directory`, { body: { path } });
    expect(made.status, made.text).toBe(201);
  }
  const move = (dest_path: string) =>
    client.call("PUT", `${session}/fs/move`, { body: { src_path: "/tmp/a", dest_path } });
  const answer = await move("/tmp/a/b/c");
  expect(answer.status).toBe(400);
  expect(answer.error.message).toContain("dest_path: a directory cannot be moved into itself");
});
