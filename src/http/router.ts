import { OpenAPIHono } from "@hono/zod-openapi";
import type { Env as HonoEnv } from "hono";
import { badRequest } from "../common/errors.ts";
import { toProblem } from "./issue-messages.ts";

export function newRouter<E extends HonoEnv>(): OpenAPIHono<E> {
  return new OpenAPIHono<E>({
    defaultHook: (result) => {
      if (!result.success) throw badRequest(...result.error.issues.map(toProblem));
    },
  });
}
