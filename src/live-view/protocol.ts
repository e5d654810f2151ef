import { z } from "zod";

/**
 * What a live view's page and the service say to each other over their socket: JSON texts both ways, and
 * pictures of the page as binary frames (see constants.ts). The page imports types alone: its bundle has no zod.
 */

const coordinate = z.number().min(0).max(100_000);
/** Bits as DevTools has them: 1 Alt, 2 Control, 4 Meta, 8 Shift. */
const modifiers = z.int().min(0).max(15);
const tabId = z.string().min(1).max(100);

/** What a page sends. Coordinates are CSS pixels of the remote page, as its frames' headers give its size. */
export const viewerMessageSchema = z.discriminatedUnion("type", [
  /** The frame was drawn: the next may come. */
  z.object({ type: z.literal("frame-drawn"), frame: z.int().min(0) }),
  /** How large the page draws frames, in device pixels: frames need not be larger. */
  z.object({ type: z.literal("frame-size"), width: z.int().min(1), height: z.int().min(1) }),
  z.object({ type: z.literal("ping") }),
  z.object({
    type: z.literal("mouse"),
    action: z.enum(["move", "down", "up"]),
    x: coordinate,
    y: coordinate,
    button: z.enum(["none", "left", "middle", "right", "back", "forward"]),
    /** Buttons held, as MouseEvent.buttons has them. */
    buttons: z.int().min(0).max(31),
    /** 2 in the second press of a double click, and so on. */
    clickCount: z.int().min(0).max(100),
    modifiers,
  }),
  z.object({
    type: z.literal("wheel"),
    x: coordinate,
    y: coordinate,
    /** In CSS pixels. */
    deltaX: z.number().min(-100_000).max(100_000),
    deltaY: z.number().min(-100_000).max(100_000),
    modifiers,
  }),
  z.object({
    type: z.literal("key"),
    action: z.enum(["down", "up"]),
    /** As in KeyboardEvent. */
    key: z.string().min(1).max(50),
    code: z.string().max(50),
    keyCode: z.int().min(0).max(255),
    location: z.int().min(0).max(3),
    repeat: z.boolean(),
    modifiers,
  }),
  /** Text that no key made: an input method's, a soft keyboard's. */
  z.object({ type: z.literal("text"), text: z.string().min(1).max(10_000) }),
  /** Puts the text into the remote clipboard and pastes it. */
  z.object({ type: z.literal("paste"), text: z.string().max(1_000_000) }),
  z.object({
    type: z.literal("touch"),
    action: z.enum(["start", "move", "end", "cancel"]),
    /** The fingers that are down after this. */
    points: z.array(z.object({ id: z.int().min(0), x: coordinate, y: coordinate })).max(10),
  }),
  /** Only http:, https: and about:blank are opened. */
  z.object({ type: z.literal("navigate"), url: z.string().max(10_000) }),
  z.object({ type: z.literal("back") }),
  z.object({ type: z.literal("forward") }),
  z.object({ type: z.literal("reload") }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("open-tab") }),
  z.object({ type: z.literal("close-tab"), tab: tabId }),
  z.object({ type: z.literal("activate-tab"), tab: tabId }),
  /** Answers the open dialog. */
  z.object({
    type: z.literal("answer-dialog"),
    /** Number of the dialog that is answered. */
    dialog: z.int(),
    accept: z.boolean(),
    text: z.string().max(100_000).optional(),
  }),
]);

export type ViewerMessage = z.infer<typeof viewerMessageSchema>;

/** What a viewer may do: `control` or only `watch`. */
export type ViewMode = "control" | "watch";

export interface TabView {
  id: string;
  /** Text of a remote page: never markup. */
  title: string;
  url: string;
  isLoading: boolean;
  hasCrashed: boolean;
}

export interface DialogView {
  /** Tells it from the tab's next one. */
  id: number;
  kind: "alert" | "confirm" | "prompt" | "beforeunload" | "file";
  message: string;
  /** What the field of a prompt, or of a file chooser, begins with. */
  defaultText: string;
  /** Of the page that shows it. */
  url: string;
}

/** What the service sends. */
export type ServiceMessage =
  /** The first: what this viewer may do and see. */
  | { type: "welcome"; mode: ViewMode; kiosk: boolean; viewport: { width: number; height: number } }
  /** The session's window was resized. */
  | { type: "viewport"; width: number; height: number }
  /** All tabs in their order, the one in front, and whether its history goes back and forward. */
  | { type: "tabs"; tabs: TabView[]; active: string | null; canGoBack: boolean; canGoForward: boolean }
  /** A dialog of the active tab opened or, with null, closed. */
  | { type: "dialog"; dialog: DialogView | null }
  /** Where the remote mouse was last moved, by whoever did, in the page's CSS pixels. */
  | { type: "cursor"; x: number; y: number; hidden: boolean }
  /** Text that this viewer's Ctrl+C or Ctrl+X copied in the remote page. */
  | { type: "clipboard"; text: string }
  /** Something that this viewer asked for failed; the message is for people. */
  | { type: "refused"; message: string }
  /** Answer to a ping. */
  | { type: "pong" }
  /** The session is over, or this address opens it no more; the socket closes and is not opened again. */
  | { type: "ended"; reason: string };
