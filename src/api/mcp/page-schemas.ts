import { z } from "zod";

/** The pattern also keeps other selectors out. */
const ref = z
  .string()
  .regex(/^(f\d+)?e\d+$/, "must be a reference of the last snapshot, such as e12")
  .describe("Reference of the element in the last page snapshot");

const text = (description: string) => z.string().optional().describe(description);
const flag = (description: string) => z.boolean().optional().describe(description);

const element = text("Human-readable description of the element");
const target = { element, ref };
const since = z.int().min(0).optional().describe("Only entries after this number from a result");
const modifier = z.enum(["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]);

function tool<S extends z.ZodRawShape>(description: string, shape: S) {
  return { description, input: z.object(shape) };
}

/** The tools of Playwright MCP, by name. The page driver runs them. */
export const PAGE_TOOLS = {
  browser_navigate: tool("Navigate to a URL", { url: z.string().min(1) }),
  browser_navigate_back: tool("Go back to the previous page in the history", {}),
  browser_snapshot: tool("Take an accessibility snapshot of the page, with references for other tools", {}),
  browser_click: tool("Click an element", {
    ...target,
    doubleClick: flag("Double click instead of a single click"),
    button: z.enum(["left", "right", "middle"]).optional(),
    modifiers: z.array(modifier).optional(),
  }),
  browser_hover: tool("Move the mouse over an element", target),
  browser_type: tool("Type text into an editable element, replacing its text", {
    ...target,
    text: z.string(),
    submit: flag("Press Enter after the text"),
    slowly: flag("Type one character at a time, after the existing text"),
  }),
  browser_select_option: tool("Select options in a dropdown, by value or label", {
    ...target,
    values: z.array(z.string()),
  }),
  browser_fill_form: tool("Fill in several fields of a form", {
    fields: z
      .array(
        z.object({
          name: text("Human-readable name of the field"),
          type: z.enum(["textbox", "checkbox", "radio", "combobox", "slider"]),
          ref,
          value: z
            .string()
            .describe("Text; for a checkbox or radio button true or false; for a combobox a label"),
        }),
      )
      .min(1)
      .max(100),
  }),
  browser_file_upload: tool(
    "Choose files of the session's machine in a file input, or where a button asks for them",
    {
      ...target,
      paths: z.array(z.string().startsWith("/", "must be an absolute path")).max(100),
    },
  ),
  browser_press_key: tool("Press a key or character, such as ArrowLeft, a or Control+a", { key: z.string() }),
  browser_mouse_wheel: tool("Scroll where the mouse is, by pixels to the right and down", {
    deltaX: z.number().default(0),
    deltaY: z.number().default(0),
  }),
  browser_wait_for: tool("Wait for text to appear or disappear, or for a time", {
    time: z.number().min(0).max(60).optional().describe("Seconds to wait"),
    text: text("Text to wait for"),
    textGone: text("Text to wait for until it is gone"),
  }),
  browser_take_screenshot: tool("Take a screenshot. To act on elements, use browser_snapshot instead", {
    type: z.enum(["png", "jpeg"]).default("png"),
    element,
    ref: ref.optional().describe("Element to capture; the viewport by default"),
    fullPage: flag("Take the full scrollable page"),
  }),
  browser_console_messages: tool("List console messages and page errors", {
    level: z.enum(["error", "warning", "info", "debug"]).default("info"),
    since,
  }),
  browser_network_requests: tool("List network requests", {
    includeStatic: flag("Also successful images, fonts, styles and scripts"),
    since,
  }),
  browser_tabs: tool("List, open, close or select tabs", {
    action: z.enum(["list", "new", "close", "select"]),
    index: z.int().min(0).optional().describe("Tab to close or select; the current one by default"),
    url: text("URL to open in a new tab"),
  }),
  browser_evaluate: tool("Evaluate JavaScript in the page", {
    function: z.string().describe("() => { code }"),
  }),
  browser_handle_dialog: tool("Accept or dismiss a JavaScript dialog", {
    accept: z.boolean(),
    promptText: text("Text for a prompt"),
  }),
};

export const READ_ONLY_TOOLS = /snapshot|screenshot|wait|messages|requests/;

export type PageToolName = keyof typeof PAGE_TOOLS;

export type PageToolInputs = { [N in PageToolName]: z.infer<(typeof PAGE_TOOLS)[N]["input"]> };

export interface PageOutput {
  text: string;
  /** Base64. */
  image?: { data: string; mimeType: string };
}

/** Messages to and from the page driver. */
export type PageCall = {
  [N in PageToolName]: { id: number; tool: N; input: PageToolInputs[N] };
}[PageToolName];
/** `tab`: the id of the current one. */
export type PageAnswer = { id: number; tab?: string } & (PageOutput | { error: string });
