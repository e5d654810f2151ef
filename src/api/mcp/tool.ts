import type { ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { APIClient } from "./api-client.ts";
import type { PageOutput } from "./page-schemas.ts";
import type { ResultStore } from "./result-store.ts";
import type { SessionBrowsers } from "./session-browsers.ts";

/** Text is truncated to what a model can handle; an image or a file is returned whole. */
export interface ToolOutput extends Partial<PageOutput> {
  file?: { uri: string; blob: string; mimeType: string };
  isError?: boolean;
}

export interface ToolCall {
  /** Acts for the caller, until the call is cancelled. */
  api: APIClient;
  browsers: SessionBrowsers;
  results: ResultStore;
}

interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  description: string;
  input: S;
  annotations?: ToolAnnotations;
  run(input: z.infer<S>, call: ToolCall): Promise<ToolOutput>;
}

export type Tool = ToolDefinition<z.ZodObject>;

/** Erases the type of a tool's input, so that tools fit into one list. */
export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  return { ...definition, run: (input, call) => definition.run(definition.input.parse(input), call) };
}

export function jsonOutput(value: unknown): ToolOutput {
  return { text: JSON.stringify(value, null, 2) };
}

export const sessionIdSchema = z
  .string()
  .optional()
  .describe(
    "Id or name of a browser session; by default this MCP session's own browser, created on first use",
  );
