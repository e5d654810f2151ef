import { z } from "@hono/zod-openapi";
import { DEFAULT_VIEWPORT, findViewport, VIEWPORT_LIST } from "../../browser/viewport.ts";

const MOST_TAGS = 50;
const NAVIGABLE = new Set(["http:", "https:", "about:", "data:"]);

/** A viewport as it travels. */
export const viewportShape = z.object({
  width: z.int().openapi({ description: "Width in pixels.", example: 1920 }),
  height: z.int().openapi({ description: "Height in pixels.", example: 1080 }),
  refresh_rate: z
    .int()
    .optional()
    .openapi({ example: 25, description: "Refresh rate in hertz. Set from width and height when omitted." }),
});

/** One of the six, its refresh rate filled in; anything else is an issue of what is parsed. */
export function readViewport(given: z.infer<typeof viewportShape>, context: z.RefinementCtx) {
  const viewport = findViewport(given.width, given.height, given.refresh_rate);
  if (viewport !== undefined) return viewport;
  context.addIssue({ code: "custom", message: `is not supported; supported are ${VIEWPORT_LIST}` });
  return z.NEVER;
}

/** A viewport as callers give it: one of the six, its refresh rate filled in. */
export const viewportSchema = viewportShape
  .transform(readViewport)
  .openapi("Viewport", { description: `One of ${VIEWPORT_LIST}.`, example: { width: 1440, height: 900 } });

/** Free labels of a session. */
export const tagsSchema = z
  .record(z.string().min(1).max(255), z.string().max(255))
  .refine((tags) => Object.keys(tags).length <= MOST_TAGS, `must have at most ${MOST_TAGS} entries`)
  .openapi({ description: "Free labels, at most 50.", example: { team: "backend" } });

/** Where the first tab goes. */
export const startURLSchema = z
  .string()
  .max(2048, "must have at most 2048 characters")
  .refine(
    (text) => NAVIGABLE.has(URL.parse(text)?.protocol ?? ""),
    "must be an http, https, about or data URL",
  )
  .openapi({ description: "Opened in the first tab, best effort.", example: "https://example.com" });

const EITHER_ID_OR_NAME = "give either id or name";

/** Selects a stored thing by exactly one of id and name. */
const selectionShape = {
  id: z.string().optional().openapi({ description: "Its id. Give either id or name." }),
  name: z.string().optional().openapi({ description: "Its name. Give either id or name." }),
};

function hasIdOrName(selection: { id?: string; name?: string }): boolean {
  return (selection.id === undefined) !== (selection.name === undefined);
}

/** Selects a profile by exactly one of id and name. */
export const profileSelectionSchema = z
  .object({
    ...selectionShape,
    save_changes: z.boolean().optional().openapi({ description: "Save it when the session ends." }),
  })
  .refine(hasIdOrName, { message: EITHER_ID_OR_NAME, abort: true })
  .openapi({ description: "Cookies, localStorage and IndexedDB to begin with.", example: { name: "shop" } });

/** The proxy that a browser's traffic goes through. */
export const proxyIdSchema = z.string().openapi({
  description: 'The proxy that all traffic goes through; "": none.',
  example: "p0m3q9x7c2v5b8n1k4j6h0gd",
});

/** The extensions that a browser has. */
export const extensionsSchema = z
  .array(z.object(selectionShape).refine(hasIdOrName, { message: EITHER_ID_OR_NAME, abort: true }))
  .max(20, "must have at most 20 items");

/** How a browser is made, of a session and of a pool alike. */
export const browserShape = {
  headless: z.boolean().default(false).openapi({ description: "Run without a live view." }),
  stealth: z.boolean().default(false).openapi({ description: "Reduce what tells an automated browser." }),
  kiosk_mode: z
    .boolean()
    .default(false)
    .openapi({ description: "Hide address bar and tabs in the live view." }),
  viewport: viewportSchema
    .default(DEFAULT_VIEWPORT)
    .openapi({ default: { width: 1920, height: 1080, refresh_rate: 25 } }),
  extensions: extensionsSchema
    .optional()
    .openapi({ description: "Uploaded extensions to run, at most 20.", example: [{ name: "blocker" }] }),
};
