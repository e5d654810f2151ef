import { z } from "zod";
import { computerActionSchemas, screenshotSchema } from "../computer/schema.ts";
import { pathOf } from "./api-tools.ts";
import { PAGE_TOOLS, READ_ONLY_TOOLS } from "./page-schemas.ts";
import { defineTool, jsonOutput, sessionIdSchema, type Tool } from "./tool.ts";

const ANSWERS = ["screenshot", "get_mouse_position"];

const actionSchema = z.object({
  type: z.enum([...Object.keys(computerActionSchemas), ...ANSWERS]).describe("Its parameters have this name"),
  ...z.object({ ...computerActionSchemas, screenshot: screenshotSchema }).partial().shape,
});

const encodedText = z.string().transform((base64) => new TextDecoder().decode(Uint8Array.fromBase64(base64)));

const pageTools = Object.entries(PAGE_TOOLS).map(([name, tool]) =>
  defineTool({
    name,
    description: tool.description,
    input: z.object({ ...tool.input.shape, session_id: sessionIdSchema }),
    annotations: { readOnlyHint: READ_ONLY_TOOLS.test(name), openWorldHint: true },
    run: ({ session_id, ...input }, { browsers, api }) => browsers.drive(name, input, session_id, api),
  }),
);

/** The page tools, and tools with a response format of their own. */
export const sessionTools: readonly Tool[] = [
  ...pageTools,
  defineTool({
    name: "computer_action",
    description:
      "Use the mouse and keyboard, by screen pixels. Several actions run in order, in one request. End with a " +
      "screenshot to see the result; screenshot and get_mouse_position can only be the last action.",
    input: z.object({ session_id: sessionIdSchema, actions: z.array(actionSchema).min(1) }),
    run: async (input, call) => {
      const { type = "", screenshot = {} } = input.actions.at(-1) ?? {};
      const actions = ANSWERS.includes(type) ? input.actions.slice(0, -1) : input.actions;
      const early = actions.find((action) => ANSWERS.includes(action.type));
      if (early !== undefined) throw new Error(`${early.type} can only be the last action`);
      const path = await pathOf("POST {session}/computer", input, call);
      if (actions.length > 0) await call.api.fetch(`${path}/batch`, { json: { actions } });
      if (type === "get_mouse_position") {
        return jsonOutput(await call.api.json(`${path}/get_mouse_position`, z.unknown()));
      }
      const text = `Done: ${actions.length} action(s)`;
      if (type !== "screenshot") return { text };
      const response = await call.api.fetch(`${path}/screenshot`, { json: screenshot });
      return { text, image: { data: (await response.bytes()).toBase64(), mimeType: "image/png" } };
    },
  }),
  defineTool({
    name: "execute_playwright_code",
    description:
      "Run Playwright code, TypeScript or JavaScript, beside the browser. `page`, `context` and `browser` are in scope; " +
      "return the result.",
    input: z.object({
      session_id: sessionIdSchema,
      code: z.string().describe('Such as: await page.goto("https://a.example"); return page.title();'),
      timeout_sec: z.int().optional().describe("Seconds after which the code is stopped; 60 by default"),
    }),
    run: async ({ session_id, ...json }, call) => {
      const path = await pathOf("POST {session}/playwright/execute", { session_id }, call);
      const execution = await call.api.json(path, z.looseObject({ success: z.boolean() }), { json });
      return { ...jsonOutput(execution), isError: !execution.success };
    },
  }),
  defineTool({
    name: "exec_command",
    description: "Run a command on the machine of a browser session until it ends.",
    input: z.object({
      session_id: sessionIdSchema,
      command: z.string().describe("Program; without args it may be a shell command line"),
      args: z.array(z.string()).optional(),
      cwd: z.string().optional().describe("Absolute path of the working directory"),
      timeout_sec: z.int().optional().describe("Seconds after which it is killed"),
      as_root: z.boolean().optional(),
    }),
    run: async ({ session_id, ...json }, call) => {
      const path = await pathOf("POST {session}/process/exec", { session_id }, call);
      const result = z.looseObject({ stdout_b64: encodedText, stderr_b64: encodedText });
      const { stdout_b64: stdout, stderr_b64: stderr, ...rest } = await call.api.json(path, result, { json });
      return jsonOutput({ ...rest, stdout, stderr });
    },
  }),
  defineTool({
    name: "browser_close",
    description: "End this MCP session's own browser. The next browser tool creates a new one",
    input: z.object({}),
    run: async (_, { browsers, api }) => {
      await browsers.closeOwn(api);
      return { text: "The browser is closed" };
    },
  }),
  defineTool({
    name: "read_result",
    description: "Read the rest of a truncated result",
    input: z.object({ id: z.string(), offset: z.int().min(0) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async ({ id, offset }, { results }) => ({ text: results.read(id, offset) }),
  }),
];
