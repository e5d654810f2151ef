import { z } from "@hono/zod-openapi";
import { describeProblem, ERROR_CODES, type ServiceError } from "../common/errors.ts";
import { textOf } from "./fields.ts";

const errorDetailSchema = z.object({
  code: textOf("`invalid_input`, or the code of the error.", "invalid_input"),
  message: textOf("Names the field, as in `timeout_seconds: must be at least 10`."),
});

export const errorBodySchema = z
  .object({
    code: z.string().openapi({ description: "Code of the error.", enum: ERROR_CODES }),
    message: textOf("Human-readable message."),
    details: z.array(errorDetailSchema).optional().describe("One entry per problem."),
    inner_error: errorDetailSchema.optional().describe("The first entry of details."),
  })
  .openapi("Error", {
    description: "`details` has one entry per problem, and `inner_error` is the first of them.",
    example: {
      code: "bad_request",
      message: "timeout_seconds: must be at least 10",
      details: [{ code: "invalid_input", message: "timeout_seconds: must be at least 10" }],
      inner_error: { code: "invalid_input", message: "timeout_seconds: must be at least 10" },
    },
  });

export type ErrorBody = z.infer<typeof errorBodySchema>;

export function toErrorResponse(error: ServiceError): Response {
  const headers = new Headers(error.headers);
  if (error.shouldRetry !== undefined) headers.set("x-should-retry", String(error.shouldRetry));
  if (error.retryAfterSeconds !== undefined) {
    headers.set("retry-after", String(Math.max(1, Math.ceil(error.retryAfterSeconds))));
  }
  if (error.allow !== undefined) headers.set("allow", error.allow.join(", "));
  if (error.code === "unauthorized") headers.set("www-authenticate", 'Bearer realm="berth"');
  return Response.json(toErrorBody(error), { status: error.status, headers });
}

export function toErrorBody(error: ServiceError): ErrorBody {
  const { message } = error;
  const code = error.code === "bad_request" ? "invalid_input" : error.code;
  const problems = error.problems.length > 0 ? error.problems : [{ field: "", message }];
  const details = problems.map((problem) => ({ code, message: describeProblem(problem) }));
  return { code: error.code, message, details, inner_error: details[0] };
}
