import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ComputerAction } from "../../features/computer/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { callSession, sessionObject } from "../../features/sessions/index.ts";
import type { Outcome } from "../../lib/common/outcome.ts";
import { textOf } from "../../lib/http/fields.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";
import {
  batchSchema,
  clickMouseSchema,
  clipboardTextSchema,
  doneSchema,
  dragMouseSchema,
  mousePositionSchema,
  moveMouseSchema,
  pressKeySchema,
  screenshotSchema,
  scrollSchema,
  setCursorSchema,
  toClickMouse,
  toDragMouse,
  toMoveMouse,
  toPressKey,
  toScroll,
  toSetCursor,
  toTypeText,
  typeTextSchema,
  writeClipboardSchema,
} from "./schema.ts";

export const computerRoutes = newRouter<CallerEnv>();

const route = routesOf("Computer", API_KEY_SECURITY);
const params = z.object({ id: textOf("The session's id or name.") });
const errors = [400, 409, 413] as const;

function actionRoute<S extends z.ZodType>(
  name: string,
  schema: S,
  { done, ...texts }: { operationId: string; summary: string; description: string; done: string },
) {
  return route("post", `/browsers/{id}/computer/${name}`, {
    ...texts,
    request: { params, body: jsonRequest(schema) },
    responses: { 200: { description: done } },
    errors,
  });
}

computerRoutes.openapi(
  actionRoute("move_mouse", moveMouseSchema, {
    operationId: "moveMouse",
    summary: "Move the mouse",
    description: "Moves it to a point in the viewport. Returns 400 for a point outside it.",
    done: "Mouse cursor moved.",
  }),
  (c) => perform(c, toMoveMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("click_mouse", clickMouseSchema, {
    operationId: "clickPressOrReleaseMouseButton",
    summary: "Click, press or release a mouse button",
    description: "Moves the mouse there first. Returns 400 for a point outside the viewport.",
    done: "Mouse action performed.",
  }),
  (c) => perform(c, toClickMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("drag_mouse", dragMouseSchema, {
    operationId: "dragAlongPath",
    summary: "Drag along a path",
    description: "Presses the button at the path's first point and releases it at its last.",
    done: "Dragged.",
  }),
  (c) => perform(c, toDragMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("scroll", scrollSchema, {
    operationId: "turnMouseWheel",
    summary: "Turn the mouse wheel",
    description: "Moves the mouse there first. At least one of `delta_x` and `delta_y` must not be 0.",
    done: "Scrolled.",
  }),
  (c) => perform(c, toScroll(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("type", typeTextSchema, {
    operationId: "typeText",
    summary: "Type text",
    description: "Types into the focused element, key by key.",
    done: "Text typed.",
  }),
  (c) => perform(c, toTypeText(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("press_key", pressKeySchema, {
    operationId: "pressKeys",
    summary: "Press keys",
    description:
      "Shortcuts work as in a desktop browser: `Ctrl+t` opens a tab, `Ctrl+l` focuses the address bar, " +
      "which takes input until `Return`. `Return` and `Escape` answer an open dialog.",
    done: "Keys pressed.",
  }),
  (c) => perform(c, toPressKey(c.req.valid("json"))),
);

computerRoutes.openapi(
  route("post", "/browsers/{id}/computer/cursor", {
    operationId: "showOrHideMousePointerInLiveViews",
    summary: "Show or hide the mouse pointer in live views",
    description: "Applies to all live views of the session. Mouse actions still work.",
    request: { params, body: jsonRequest(setCursorSchema) },
    responses: { 200: jsonResponse(doneSchema, "Done.") },
    errors,
  }),
  async (c) => {
    await call(c, (computer) => computer.perform(toSetCursor(c.req.valid("json"))));
    return c.json({ ok: true }, 200);
  },
);

computerRoutes.openapi(
  actionRoute("batch", batchSchema, {
    operationId: "doSeveralActionsOneAfterOther",
    summary: "Do several actions, one after the other",
    description: "All actions are validated before the first one runs. A failure skips the rest.",
    done: "Done.",
  }),
  async (c) => {
    const { actions } = c.req.valid("json");
    await call(c, (computer) => computer.performBatch(actions));
    return c.body(null, 200);
  },
);

computerRoutes.openapi(
  route("post", "/browsers/{id}/computer/screenshot", {
    operationId: "takeScreenshot",
    summary: "Take a screenshot",
    description:
      "Shows the visible tab with an open dialog or select list. An unresponsive page is shown " +
      "in its last state.",
    request: { params, body: jsonRequest(screenshotSchema) },
    responses: {
      200: {
        description: "The screenshot, in pixels of the viewport.",
        content: { "image/png": { schema: z.string().openapi({ format: "binary" }) } },
      },
    },
    errors,
  }),
  async (c) => {
    const { region } = c.req.valid("json");
    const picture = await call(c, (computer) => computer.screenshot(region));
    return new Response(picture, { headers: { "content-type": "image/png", "cache-control": "no-store" } });
  },
);

computerRoutes.openapi(
  route("post", "/browsers/{id}/computer/get_mouse_position", {
    operationId: "getMousePosition",
    summary: "Get the mouse's position",
    description: "In pixels of the viewport, after all earlier actions.",
    request: { params },
    responses: { 200: jsonResponse(mousePositionSchema, "The last position.") },
    errors,
  }),
  async (c) => c.json(await call(c, (computer) => computer.mousePosition()), 200),
);

computerRoutes.openapi(
  route("post", "/browsers/{id}/computer/clipboard/read", {
    operationId: "readClipboard",
    summary: "Read the clipboard",
    description: "Reads text only. All pages of the browser share the clipboard.",
    request: { params },
    responses: { 200: jsonResponse(clipboardTextSchema, "Its text; empty when it holds none.") },
    errors,
  }),
  async (c) => c.json({ text: await call(c, (computer) => computer.readClipboard()) }, 200),
);

computerRoutes.openapi(
  actionRoute("clipboard/write", writeClipboardSchema, {
    operationId: "writeClipboard",
    summary: "Write the clipboard",
    description: "All pages of the browser share it.",
    done: "Written.",
  }),
  async (c) => {
    const { text } = c.req.valid("json");
    await call(c, (computer) => computer.writeClipboard(text));
    return c.body(null, 200);
  },
);

type SessionContext = Context<CallerEnv, "/browsers/:id">;
/** A chained RPC call takes one round trip. */
type RemoteComputer = ReturnType<ReturnType<typeof sessionObject>["computer"]>;

async function perform(c: SessionContext, action: ComputerAction) {
  await call(c, (computer) => computer.perform(action));
  return c.body(null, 200);
}

function call<T>(c: SessionContext, command: (computer: RemoteComputer) => Promise<Outcome<T>>): Promise<T> {
  const { caller } = c.var;
  return callSession(c.env, { caller, idOrName: c.req.param("id") }, (sessionId) => {
    c.set("sessionId", sessionId);
    return command(sessionObject(c.env, sessionId).computer(caller));
  });
}
