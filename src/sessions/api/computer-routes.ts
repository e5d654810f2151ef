import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Outcome } from "../../common/outcome.ts";
import type { ComputerAction } from "../../computer/index.ts";
import { jsonBody } from "../../http/json-body.ts";
import { API_KEY_SECURITY, errorResponses, jsonRequest, jsonResponse } from "../../http/openapi.ts";
import { newRouter } from "../../http/router.ts";
import type { CallerEnv } from "../../organizations/index.ts";
import { sessionObject } from "../stub.ts";
import { callSession } from "./call-session.ts";
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
} from "./computer-schema.ts";

/** `/browsers/{id}/computer`: mouse, keyboard and screen of a session. */
export const computerRoutes = newRouter<CallerEnv>();

const shared = { method: "post" as const, tags: ["Computer"], security: API_KEY_SECURITY };
const params = z.object({ id: z.string().openapi({ description: "The session's id or name." }) });
const errors = errorResponses(400, 404, 413);

/** The route of an action: it answers with nothing but that it is done. */
function actionRoute<S extends z.ZodType>(
  name: string,
  schema: S,
  texts: { summary: string; description?: string; done: string },
) {
  return createRoute({
    ...shared,
    path: `/browsers/{id}/computer/${name}`,
    summary: texts.summary,
    description: texts.description,
    middleware: jsonBody,
    request: { params, body: jsonRequest(schema) },
    responses: { 200: { description: texts.done }, ...errors },
  });
}

computerRoutes.openapi(
  actionRoute("move_mouse", moveMouseSchema, {
    summary: "Move the mouse",
    description: "Moves it to a point of the viewport. A point outside of it is refused with 400.",
    done: "Mouse cursor moved.",
  }),
  (c) => perform(c, toMoveMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("click_mouse", clickMouseSchema, {
    summary: "Click, press or release a mouse button",
    description: "Moves the mouse there first. A point outside of the viewport is refused with 400.",
    done: "Mouse action performed.",
  }),
  (c) => perform(c, toClickMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("drag_mouse", dragMouseSchema, {
    summary: "Drag along a path",
    description: "Presses the button at the path's first point and releases it at its last.",
    done: "Dragged.",
  }),
  (c) => perform(c, toDragMouse(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("scroll", scrollSchema, {
    summary: "Turn the mouse wheel",
    description: "Moves the mouse there first. At least one of `delta_x` and `delta_y` must not be 0.",
    done: "Scrolled.",
  }),
  (c) => perform(c, toScroll(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("type", typeTextSchema, {
    summary: "Type text",
    description: "Goes to what has the keyboard focus, key by key.",
    done: "Text typed.",
  }),
  (c) => perform(c, toTypeText(c.req.valid("json"))),
);

computerRoutes.openapi(
  actionRoute("press_key", pressKeySchema, {
    summary: "Press keys",
    description:
      "Shortcuts do what they do in a desktop browser: `Ctrl+t` opens a tab, `Ctrl+l` focuses the address bar, " +
      "which takes what is typed until `Return`. An open dialog is answered by `Return` and `Escape`.",
    done: "Keys pressed.",
  }),
  (c) => perform(c, toPressKey(c.req.valid("json"))),
);

computerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/browsers/{id}/computer/cursor",
    summary: "Show or hide the mouse pointer in live views",
    description: "Affects everyone who looks at a live view of the session. Mouse actions work as before.",
    middleware: jsonBody,
    request: { params, body: jsonRequest(setCursorSchema) },
    responses: { 200: jsonResponse(doneSchema, "Done."), ...errors },
  }),
  async (c) => {
    await call(c, (computer) => computer.perform(toSetCursor(c.req.valid("json"))));
    return c.json({ ok: true }, 200);
  },
);

computerRoutes.openapi(
  actionRoute("batch", batchSchema, {
    summary: "Do several actions, one after the other",
    description: "All are checked before the first is begun. The first that fails is the last.",
    done: "All are done.",
  }),
  async (c) => {
    const { actions } = c.req.valid("json");
    await call(c, (computer) => computer.performBatch(actions));
    return c.body(null, 200);
  },
);

computerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/browsers/{id}/computer/screenshot",
    summary: "Take a screenshot",
    description:
      "Of the tab that a person would see, with an open dialog or list of a select. A page that stands still " +
      "is shown as it last was.",
    middleware: jsonBody,
    request: { params, body: jsonRequest(screenshotSchema) },
    responses: {
      200: {
        description: "The picture, one pixel of it for each of the viewport.",
        content: { "image/png": { schema: z.string().openapi({ format: "binary" }) } },
      },
      ...errors,
    },
  }),
  async (c) => {
    const { region } = c.req.valid("json");
    const picture = await call(c, (computer) => computer.screenshot(region));
    return new Response(picture, { headers: { "content-type": "image/png", "cache-control": "no-store" } });
  },
);

computerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/browsers/{id}/computer/get_mouse_position",
    summary: "Get the mouse's position",
    description: "In pixels of the viewport, after all actions that came before this call.",
    request: { params },
    responses: { 200: jsonResponse(mousePositionSchema, "Where it was last moved to."), ...errors },
  }),
  async (c) => c.json(await call(c, (computer) => computer.mousePosition()), 200),
);

computerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/browsers/{id}/computer/clipboard/read",
    summary: "Read the clipboard",
    description: "Reads its text alone. All pages of the browser share the clipboard.",
    request: { params },
    responses: { 200: jsonResponse(clipboardTextSchema, "Its text; empty when it holds none."), ...errors },
  }),
  async (c) => c.json({ text: await call(c, (computer) => computer.readClipboard()) }, 200),
);

computerRoutes.openapi(
  actionRoute("clipboard/write", writeClipboardSchema, {
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
/** A session's computer as it is seen from outside its object; a command to it is one round trip. */
type RemoteComputer = ReturnType<ReturnType<typeof sessionObject>["computer"]>;

async function perform(c: SessionContext, action: ComputerAction) {
  await call(c, (computer) => computer.perform(action));
  return c.body(null, 200);
}

/** Runs a command on the computer of the session that the path names. */
function call<T>(c: SessionContext, command: (computer: RemoteComputer) => Promise<Outcome<T>>): Promise<T> {
  const { caller } = c.var;
  return callSession(c.env, { caller, idOrName: c.req.param("id") }, (sessionId) => {
    c.set("sessionId", sessionId);
    return command(sessionObject(c.env, sessionId).computer(caller));
  });
}
