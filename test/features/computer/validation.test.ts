import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { type Client, newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow } from "../../records.ts";
import { COMPUTER_BODIES } from "./bodies.ts";

const browsers = useFakeBrowsers();
const OPERATIONS = Object.entries(COMPUTER_BODIES);

const at = { x: 10, y: 20 };
const many = (length: number) => Array.from({ length }, () => "Shift");
const path = (...points: unknown[]) => ({ path: points });
const route = [
  [1, 1],
  [3, 3],
];

/** Invalid coordinates on a viewport of 1024x768. */
const badCoordinates: [string, object][] = [
  ["x", { y: 20 }],
  ["y", { x: 10 }],
  ["x", { ...at, x: 1024 }],
  ["y", { ...at, y: 768 }],
  ["x", { ...at, x: 1e9 }],
  ["x", { ...at, x: -1 }],
  ["y", { ...at, y: -1 }],
  ["x", { ...at, x: 10.5 }],
  ["y", { ...at, y: 0.1 }],
  ["x", { ...at, x: "10" }],
  ["y", { ...at, y: null }],
  ["x", { ...at, x: 2 ** 53 }],
];

const badModifiers: [string, unknown][] = [
  ["hold_keys", "Shift"],
  ["hold_keys", null],
  ["hold_keys", many(11)],
  ["hold_keys.0", [""]],
  ["hold_keys.0", [5]],
  ["hold_keys.0", ["a"]],
  ["hold_keys.0", ["Return"]],
  ["hold_keys.0", ["NoSuchKey"]],
  ["hold_keys.0", ["Ctrl+Shift"]],
  ["hold_keys.1", ["Shift", "F5"]],
  ["hold_keys.1", ["Shift", "x".repeat(101)]],
];

const badDurations = (field: string, body: object, min: number, max: number): [string, object][] =>
  [min - 1, max + 1, -1, 0.5, "100", null].map((value) => [field, { ...body, [field]: value }]);

const withCoordinates: [string, object][] = [
  ["move_mouse", at],
  ["click_mouse", at],
  ["scroll", { ...at, delta_y: 1 }],
];
const withModifiers: [string, object][] = [
  ...withCoordinates,
  ["drag_mouse", path(...route)],
  ["press_key", { keys: ["a"] }],
];

const table: [string, string, unknown][] = [
  ...withCoordinates.flatMap(([name, body]) =>
    badCoordinates.map(([field, coordinates]): [string, string, unknown] => {
      const { x: _x, y: _y, ...rest } = { x: 0, y: 0, ...body };
      return [name, field, { ...rest, ...coordinates }];
    }),
  ),
  ...withModifiers.flatMap(([name, body]) =>
    badModifiers.map(([field, hold_keys]): [string, string, unknown] => [
      name,
      field,
      { ...body, hold_keys },
    ]),
  ),

  ["move_mouse", "smooth", { ...at, smooth: "yes" }],
  ...badDurations("duration_ms", { ...at, smooth: true }, 50, 5000).map(
    ([field, body]): [string, string, unknown] => ["move_mouse", field, body],
  ),

  ["click_mouse", "button", { ...at, button: "primary" }],
  ["click_mouse", "button", { ...at, button: 1 }],
  ["click_mouse", "button", { ...at, button: null }],
  ["click_mouse", "click_type", { ...at, click_type: "press" }],
  ["click_mouse", "click_type", { ...at, click_type: "" }],
  ["click_mouse", "num_clicks", { ...at, num_clicks: 0 }],
  ["click_mouse", "num_clicks", { ...at, num_clicks: -1 }],
  ["click_mouse", "num_clicks", { ...at, num_clicks: 101 }],
  ["click_mouse", "num_clicks", { ...at, num_clicks: 1.5 }],
  ["click_mouse", "num_clicks", { ...at, num_clicks: "2" }],

  ["drag_mouse", "path", {}],
  ["drag_mouse", "path", path()],
  ["drag_mouse", "path", path([1, 1])],
  ["drag_mouse", "path", { path: "1,1" }],
  ["drag_mouse", "path", path(...Array.from({ length: 1001 }, () => [1, 1]))],
  ["drag_mouse", "path.1", path([1, 1], [1])],
  ["drag_mouse", "path.0", path([1, 1, 1], [1, 1])],
  ["drag_mouse", "path.1", path([1, 1], { x: 1, y: 1 })],
  ["drag_mouse", "path.1.0", path([1, 1], [-1, 1])],
  ["drag_mouse", "path.0.1", path([1, 1.5], [1, 1])],
  ["drag_mouse", "path.0.1", path([1, "1"], [1, 1])],
  ["drag_mouse", "path.1", path([1, 1], [1024, 1])],
  ["drag_mouse", "path.2", path([1, 1], [1, 1], [1, 768])],
  ["drag_mouse", "path.0", path([1024, 768], [1, 1])],
  ["drag_mouse", "button", { ...path(...route), button: "back" }],
  ["drag_mouse", "smooth", { ...path(...route), smooth: 1 }],
  ["drag_mouse", "steps_per_segment", { ...path(...route), steps_per_segment: 0 }],
  ["drag_mouse", "steps_per_segment", { ...path(...route), steps_per_segment: 1001 }],
  ...[
    ...badDurations("delay", path(...route), 0, 60_000),
    ...badDurations("step_delay_ms", path(...route), 0, 60_000),
    ...badDurations("duration_ms", path(...route), 50, 10_000),
  ].map(([field, body]): [string, string, unknown] => ["drag_mouse", field, body]),

  ["scroll", "delta_y", at],
  ["scroll", "delta_y", { ...at, delta_x: 0, delta_y: 0 }],
  ["scroll", "delta_x", { ...at, delta_x: 1001 }],
  ["scroll", "delta_y", { ...at, delta_y: -1001 }],
  ["scroll", "delta_y", { ...at, delta_y: 0.5 }],
  ["scroll", "delta_x", { ...at, delta_x: "1" }],

  ["type", "text", {}],
  ["type", "text", { text: null }],
  ["type", "text", { text: 5 }],
  ["type", "text", { text: ["a"] }],
  ["type", "text", { text: "x".repeat(100_001) }],
  ...badDurations("delay", { text: "a" }, 0, 60_000).map(([field, body]): [string, string, unknown] => [
    "type",
    field,
    body,
  ]),

  ["press_key", "keys", {}],
  ["press_key", "keys", { keys: [] }],
  ["press_key", "keys", { keys: "a" }],
  ["press_key", "keys", { keys: null }],
  ["press_key", "keys", { keys: many(101) }],
  ["press_key", "keys.0", { keys: [""] }],
  ["press_key", "keys.1", { keys: ["a", 5] }],
  ["press_key", "keys.0", { keys: ["NoSuchKey"] }],
  ["press_key", "keys.1", { keys: ["a", "Ctrl+NoSuchKey"] }],
  ["press_key", "keys.1", { keys: ["a", "NoSuchModifier+a"] }],
  ["press_key", "keys.2", { keys: ["a", "b", "x".repeat(101)] }],
  ...badDurations("duration", { keys: ["a"] }, 0, 60_000).map(([field, body]): [string, string, unknown] => [
    "press_key",
    field,
    body,
  ]),

  ["cursor", "hidden", {}],
  ["cursor", "hidden", { hidden: "true" }],
  ["cursor", "hidden", { hidden: null }],

  ["screenshot", "region", { region: null }],
  ["screenshot", "region", { region: [0, 0, 1, 1] }],
  ["screenshot", "region.x", { region: { y: 0, width: 1, height: 1 } }],
  ["screenshot", "region.width", { region: { ...at, height: 1 } }],
  ["screenshot", "region.width", { region: { ...at, width: 0, height: 1 } }],
  ["screenshot", "region.height", { region: { ...at, width: 1, height: -1 } }],
  ["screenshot", "region.y", { region: { x: 0, y: -1, width: 1, height: 1 } }],
  ["screenshot", "region.x", { region: { x: 0.5, y: 0, width: 1, height: 1 } }],
  ["screenshot", "region", { region: { x: 0, y: 0, width: 1025, height: 1 } }],
  ["screenshot", "region", { region: { x: 0, y: 1, width: 1, height: 768 } }],
  ["screenshot", "region", { region: { x: 1024, y: 0, width: 1, height: 1 } }],

  ["clipboard/write", "text", {}],
  ["clipboard/write", "text", { text: 5 }],
  ["clipboard/write", "text", { text: "x".repeat(500_001) }],

  ["batch", "actions", {}],
  ["batch", "actions", { actions: [] }],
  ["batch", "actions", { actions: "sleep" }],
  [
    "batch",
    "actions",
    { actions: Array.from({ length: 1001 }, () => ({ type: "sleep", sleep: { duration_ms: 0 } })) },
  ],
];

const move = { type: "move_mouse", move_mouse: at };

const badActions: [string, unknown][] = [
  ["actions.2.type", {}],
  ["actions.2.type", { type: "screenshot" }],
  ["actions.2.type", { type: "type", type_text: { text: "a" } }],
  ["actions.2", "move_mouse"],
  ["actions.2", null],
  ["actions.2.click_mouse", { type: "click_mouse" }],
  ["actions.2.click_mouse", { type: "click_mouse", move_mouse: at }],
  ["actions.2.click_mouse.x", { type: "click_mouse", click_mouse: { y: 1 } }],
  ["actions.2.click_mouse.x", { type: "click_mouse", click_mouse: { ...at, x: -1 } }],
  ["actions.2.click_mouse.x", { type: "click_mouse", click_mouse: { ...at, x: 1024 } }],
  ["actions.2.click_mouse.num_clicks", { type: "click_mouse", click_mouse: { ...at, num_clicks: 101 } }],
  ["actions.2.click_mouse.hold_keys.0", { type: "click_mouse", click_mouse: { ...at, hold_keys: ["a"] } }],
  ["actions.2.move_mouse.y", { type: "move_mouse", move_mouse: { ...at, y: 768 } }],
  ["actions.2.drag_mouse.path", { type: "drag_mouse", drag_mouse: path([1, 1]) }],
  ["actions.2.drag_mouse.path.1", { type: "drag_mouse", drag_mouse: path([1, 1], [1024, 1]) }],
  ["actions.2.scroll.delta_y", { type: "scroll", scroll: at }],
  ["actions.2.scroll.x", { type: "scroll", scroll: { x: 1024, y: 1, delta_y: 1 } }],
  ["actions.2.press_key.keys", { type: "press_key", press_key: { keys: [] } }],
  ["actions.2.press_key.keys.1", { type: "press_key", press_key: { keys: ["a", "NoSuchKey"] } }],
  ["actions.2.type_text.text", { type: "type_text", type_text: {} }],
  ["actions.2.set_cursor.hidden", { type: "set_cursor", set_cursor: { hidden: 1 } }],
  ["actions.2.sleep.duration_ms", { type: "sleep", sleep: { duration_ms: -1 } }],
  ["actions.2.sleep.duration_ms", { type: "sleep", sleep: { duration_ms: 60_001 } }],
  ["actions.2.sleep.duration_ms", { type: "sleep", sleep: {} }],
];

/** Commands that take longer than other commands of the session wait. */
const tooLong: [string, string, object][] = [
  ["a text with long delays", "type", { text: "x".repeat(6), delay: 60_000 }],
  [
    "a drag with many slow steps",
    "drag_mouse",
    { path: route, smooth: false, steps_per_segment: 6, step_delay_ms: 60_000 },
  ],
  [
    "many sleeps",
    "batch",
    { actions: Array.from({ length: 6 }, () => ({ type: "sleep", sleep: { duration_ms: 60_000 } })) },
  ],
];

describe("validation of computer commands", () => {
  let client: Client;
  let id: string;
  let sentBefore: number;
  beforeAll(async () => {
    client = await newClient();
    const session = await client.createSession({
      name: "pilot",
      timeout_seconds: 3600,
      viewport: { width: 1024, height: 768 },
    });
    id = session.session_id;
  });
  beforeEach(() => {
    sentBefore = browsers.commands.length;
  });

  const call = (name: string, body?: unknown) => client.post(`/browsers/${id}/computer/${name}`, body);
  const sent = () => browsers.commands.slice(sentBefore).map(({ method }) => method);

  it.each(table)("%s reports %s in %j", async (name, field, body) => {
    const answer = await call(name, body);
    expect(answer.invalidFields).toContain(field);
    expect(answer.error.inner_error).toEqual(answer.error.details?.[0]);
    expect(sent()).toEqual([]);
  });

  it.each(badActions)("batch reports %s in %j and runs no action", async (field, action) => {
    const answer = await call("batch", { actions: [move, move, action, move] });
    expect(answer.invalidFields).toEqual([field]);
    expect(sent()).toEqual([]);
    expect((await call("get_mouse_position")).json).toEqual({ x: 0, y: 0 });
  });

  it.each(tooLong)("rejects %s before it starts", async (_, name, body) => {
    const answer = await call(name, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.error.message).toContain("300 seconds");
    expect(sent()).toEqual([]);
  });

  it("reports every invalid field and the names of unknown keys", async () => {
    const answer = await call("click_mouse", { x: -1, y: "1", button: "a", num_clicks: 0 });
    expect(answer.invalidFields).toEqual(["x", "y", "button", "num_clicks"]);
    expect((await call("press_key", { keys: ["NoSuchKey"] })).error.message).toContain("NoSuchKey");
    expect((await call("move_mouse", { x: 1024, y: 0 })).error.message).toContain("1023");
  });

  it.each(["move_mouse", "click_mouse", "drag_mouse", "scroll", "type", "press_key", "cursor", "batch"])(
    "%s rejects a missing body and bodies that are not valid objects",
    async (name) => {
      for (const body of [[], null, 5, "text", {}, undefined]) {
        expect((await call(name, body)).status, JSON.stringify(body)).toBe(400);
      }
      const path = `/browsers/${id}/computer/${name}`;
      const headers = { "content-type": "application/json" };
      expect((await client.call("POST", path, { text: "{", headers })).status).toBe(400);
      const text = { text: "{}", headers: { "content-type": "text/plain" } };
      expect((await client.call("POST", path, text)).status).toBe(400);
      expect(sent()).toEqual([]);
    },
  );

  it("rejects an oversized body", async () => {
    const answer = await call("type", { text: "x".repeat(1024 * 1024) });
    expect(answer.status).toBe(413);
    expect(answer.error.code).toBe("payload_too_large");
    expect(sent()).toEqual([]);
  });
});

describe("the session of a computer command", () => {
  it.each(OPERATIONS)("%s accepts the session's name", async (name, body) => {
    const client = await newClient();
    await client.createSession({ name: "pilot" });
    const answer = await client.post(`/browsers/pilot/computer/${name}`, body);
    expect(answer.status, answer.text).toBe(200);
  });

  it("is found by id first, then by name", async () => {
    const client = await newClient();
    const { session_id } = await client.createSession();
    await client.createSession({ name: session_id });
    const position = (key: string) => client.post(`/browsers/${key}/computer/get_mouse_position`);
    await client.post(`/browsers/${session_id}/computer/move_mouse`, { x: 7, y: 8 });
    expect((await position(session_id)).json).toEqual({ x: 7, y: 8 });
    const name = newIdentifier();
    await client.createSession({ name });
    expect((await position(name)).json).toEqual({ x: 0, y: 0 });
  });

  it.each(OPERATIONS)(
    "%s returns 404 for ended, unknown and other organizations' sessions",
    async (name, body) => {
      const [client, otherClient] = [await newClient(), await newClient()];
      const ended = await client.createSession({ name: "ended" });
      await client.delete(`/browsers/${ended.session_id}`);
      const longEnded = await insertEndedRow({ organizationId: client.organizationId });
      const theirs = await otherClient.createSession({ name: "theirs" });
      const sentBefore = browsers.commands.length;
      const keys = [
        ended.session_id,
        "ended",
        longEnded.id,
        theirs.session_id,
        "theirs",
        newIdentifier(),
        "no-such",
      ];
      for (const key of keys) {
        const answer = await client.post(`/browsers/${key}/computer/${name}`, body);
        expect(answer.status, key).toBe(404);
        expect(answer.error.code).toBe("not_found");
        const isEnded = ["ended", ended.session_id, longEnded.id].includes(key);
        const message = `browser session not found${isEnded ? ": it ended at" : ""}`;
        expect(answer.error.message.slice(0, message.length + 1).trim(), key).toBe(message);
      }
      expect(browsers.commands.slice(sentBefore)).toEqual([]);
    },
  );
});
