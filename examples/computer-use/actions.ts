import { z } from "zod";

const x = z.int().min(0);
const y = z.int().min(0);

/**
 * An action of a model, with the usual names of computer-use models. Coordinates are pixels of the
 * screenshot.
 */
export const actionSchema = z.discriminatedUnion("type", [
  /** Only takes another screenshot. */
  z.object({ type: z.literal("screenshot") }),
  z.object({
    type: z.literal("click"),
    x,
    y,
    button: z.enum(["left", "right", "middle", "back", "forward"]).default("left"),
  }),
  z.object({ type: z.literal("double_click"), x, y }),
  z.object({ type: z.literal("move"), x, y }),
  z.object({ type: z.literal("drag"), path: z.array(z.object({ x, y })).min(2) }),
  /** In pixels; positive is down and right. */
  z.object({
    type: z.literal("scroll"),
    x,
    y,
    scroll_x: z.number().default(0),
    scroll_y: z.number().default(0),
  }),
  z.object({ type: z.literal("type"), text: z.string() }),
  /** Pressed together: ["CTRL", "A"]. */
  z.object({ type: z.literal("keypress"), keys: z.array(z.string().min(1)).min(1) }),
  z.object({ type: z.literal("wait"), milliseconds: z.number().min(0).max(30_000).default(1000) }),
  z.object({ type: z.literal("done"), success: z.boolean(), message: z.string() }),
]);

export type Action = z.infer<typeof actionSchema>;
export type DoneAction = Extract<Action, { type: "done" }>;

export function describeAction({ type, ...details }: Action): string {
  const words = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [type, ...words].join(" ");
}
