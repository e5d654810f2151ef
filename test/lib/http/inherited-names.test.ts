import { describe, expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

useFakeBrowsers();
const client = await newClient();
const session = (await client.createSession({ timeout_seconds: 600 })).session_id;

type Case = [
  place: string,
  call: (name: string) => [method: string, path: string, body?: object],
  status: number,
];

const query = (path: string, parameters: Record<string, string>) =>
  `${path}?${new URLSearchParams({ token: client.token ?? "", ...parameters })}`;

const CASES: Case[] = [
  [
    "a flag of launch options",
    (name) => ["GET", query("/chromium", { launch: `{"args":["${name}=x"]}` })],
    400,
  ],
  ["a launch option", (name) => ["GET", query("/chromium", { launch: `{"${name}":1}` })], 400],
  ["a parameter of a connect URL", (name) => ["GET", query("/connect", { [name]: "x" })], 400],
  ["an option of a connect URL", (name) => ["GET", query("/connect", { options: `{"${name}":1}` })], 400],
  ["a pressed key", (name) => ["POST", `/browsers/${session}/computer/press_key`, { keys: [name] }], 400],
  [
    "a mouse button",
    (name) => ["POST", `/browsers/${session}/computer/click_mouse`, { x: 1, y: 1, button: name }],
    400,
  ],
  ["a region", (name) => ["POST", "/browsers", { region: name }], 400],
  ["a type of proxy", (name) => ["POST", "/proxies", { type: name }], 400],
  [
    "an event of a webhook",
    (name) => ["POST", "/org/webhooks", { url: "https://a.test/", event_types: [name] }],
    400,
  ],
  ["a status of a list", (name) => ["GET", `/browsers?status=${name}`], 400],
  ["a grouping of usage", (name) => ["GET", `/org/usage?group_by=${name}`], 400],
  ["an access of an API key", (name) => ["POST", "/org/api_keys", { name: "a", access: name }], 400],
  ["a path", (name) => ["GET", `/${name}`], 404],
  ["an id", (name) => ["GET", `/browsers/${name}`], 404],
];

describe.each(CASES)("%s with a name that objects inherit", (_, callOf, status) => {
  it.each(NAMES)("is unknown: %s", async (name) => {
    const [method, path, body] = callOf(name);
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(status);
  });
});
