import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isRecord } from "../../lib/common/is-record.ts";
import { parseJSON } from "../../lib/common/parse-json.ts";

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const issuesSchema = z
  .array(
    z.object({
      path: z.tuple([z.literal("params")], z.union([z.string(), z.number()])),
      message: z.string(),
    }),
  )
  .min(1);

type Send = WebStandardStreamableHTTPServerTransport["send"];

/** For malformed request parameters, the SDK only reports a failure; this names the parameters instead. */
export class Transport extends WebStandardStreamableHTTPServerTransport {
  override send(...[message, options]: Parameters<Send>): ReturnType<Send> {
    if (!("error" in message) || message.error.code !== INTERNAL_ERROR) return super.send(message, options);
    const issues = readIssues(message.error.message);
    if (issues === undefined) return super.send(message, options);
    const problems = issues.map(({ path, message: problem }) => `${path.join(".")} ${problem}`);
    return super.send({ ...message, error: invalidParams(problems.join("; ")) }, options);
  }
}

/** The response to a request with non-object parameters, which the SDK does not recognize as a request. */
export function refuseParameters(body: string): Response | undefined {
  const request = parseJSON(body);
  if (!isRecord(request) || typeof request.method !== "string") return undefined;
  const { id, params } = request;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  if (params === undefined || isRecord(params)) return undefined;
  const error = invalidParams("params must be an object");
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}

function invalidParams(problem: string) {
  return { code: INVALID_PARAMS, message: `Invalid params: ${problem}` };
}

/** The text of a zod error. */
function readIssues(text: string) {
  return issuesSchema.safeParse(parseJSON(text)).data;
}
