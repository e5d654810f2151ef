import { z } from "zod";

/** JSON messages of a live view (frames: see constants.ts). Its page imports only types, to bundle no zod. */

const coordinate = z.number().min(0).max(100_000);
/** 1 Alt, 2 Control, 4 Meta, 8 Shift. */
const modifiers = z.int().min(0).max(15);
const tabId = z.string().min(1).max(100);

/** Coordinates are CSS pixels of the remote page. */
export const viewerMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("frame-drawn"), frame: z.int().min(0) }),
  /** In device pixels. */
  z.object({ type: z.literal("frame-size"), width: z.int().min(1), height: z.int().min(1) }),
  z.object({ type: z.literal("ping") }),
  z.object({
    type: z.literal("mouse"),
    action: z.enum(["move", "down", "up"]),
    x: coordinate,
    y: coordinate,
    button: z.enum(["none", "left", "middle", "right", "back", "forward"]),
    buttons: z.int().min(0).max(31),
    clickCount: z.int().min(0).max(100),
    modifiers,
  }),
  z.object({
    type: z.literal("wheel"),
    x: coordinate,
    y: coordinate,
    deltaX: z.number().min(-100_000).max(100_000),
    deltaY: z.number().min(-100_000).max(100_000),
    modifiers,
  }),
  z.object({
    type: z.literal("key"),
    action: z.enum(["down", "up"]),
    key: z.string().min(1).max(50),
    code: z.string().max(50),
    keyCode: z.int().min(0).max(255),
    location: z.int().min(0).max(3),
    repeat: z.boolean(),
    modifiers,
  }),
  z.object({ type: z.literal("text"), text: z.string().min(1).max(10_000) }),
  /** Sets the remote clipboard and pastes it. */
  z.object({ type: z.literal("paste"), text: z.string().max(1_000_000) }),
  z.object({
    type: z.literal("touch"),
    action: z.enum(["start", "move", "end", "cancel"]),
    points: z.array(z.object({ id: z.int().min(0), x: coordinate, y: coordinate })).max(10),
  }),
  /** Only http:, https: and about:blank. */
  z.object({ type: z.literal("navigate"), url: z.string().max(10_000) }),
  z.object({ type: z.literal("back") }),
  z.object({ type: z.literal("forward") }),
  z.object({ type: z.literal("reload") }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("open-tab") }),
  z.object({ type: z.literal("close-tab"), tab: tabId }),
  z.object({ type: z.literal("activate-tab"), tab: tabId }),
  z.object({
    type: z.literal("answer-dialog"),
    dialog: z.int(),
    accept: z.boolean(),
    text: z.string().max(100_000).optional(),
  }),
  /** For the focused field of the page: the number of an option, or a value of an input with a picker. */
  z.object({ type: z.literal("fill-field"), value: z.string().max(100) }),
  z.object({ type: z.literal("complete-handoff"), handoff: z.string(), note: z.string().trim().max(2000) }),
]);

const shortText = z.string().max(200);

/** The field that a tap has focused, for the phone's own keyboard and pickers. */
export const focusedFieldSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), inputMode: shortText }),
  z.object({ kind: z.literal("choice"), options: z.array(shortText).max(1000), selected: z.int() }),
  z.object({ kind: z.literal("picker"), type: shortText, value: shortText }),
]);

export type FocusedFieldView = z.infer<typeof focusedFieldSchema>;

export type ViewerMessage = z.infer<typeof viewerMessageSchema>;

export type ViewMode = "control" | "watch";

/** `endsAt` is when the session ends at the latest, in milliseconds since the epoch. */
export type SessionView = { name: string | null; endsAt: number | null };

export interface TabView {
  id: string;
  /** Untrusted text, never markup. */
  title: string;
  url: string;
  isLoading: boolean;
  hasCrashed: boolean;
}

export interface DialogView {
  id: number;
  kind: "alert" | "confirm" | "prompt" | "beforeunload" | "file";
  message: string;
  defaultText: string;
  url: string;
}

/** A request to the person; `instructions` are plain text, never markup. */
export type HandoffView = Record<"handoff_id" | "instructions" | "expires_at", string> & {
  pause_agent: boolean;
};

/** What has ended: the session, the validity of the link, or the use it was made for, such as a handoff. */
export type ViewEndCause = "session" | "link" | "use";

export type ServiceMessage =
  | { type: "welcome"; mode: ViewMode; kiosk: boolean; viewport: { width: number; height: number } }
  | ({ type: "session" } & SessionView)
  | { type: "viewport"; width: number; height: number }
  | { type: "tabs"; tabs: TabView[]; active: string | null; canGoBack: boolean; canGoForward: boolean }
  | { type: "dialog"; dialog: DialogView | null }
  | { type: "handoff"; handoff: HandoffView | null }
  | { type: "download"; id: string; name: string }
  | { type: "cursor"; x: number; y: number; hidden: boolean }
  | { type: "clipboard"; text: string }
  | { type: "field"; field: FocusedFieldView | null }
  | { type: "refused"; message: string }
  | { type: "pong" }
  /** The viewer must not reconnect. */
  | { type: "ended"; cause: ViewEndCause; reason: string };
