import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { badRequest } from "../common/errors.ts";

export interface UnknownFieldsVariables {
  /** Fields of the query and of the body that the service does not know. */
  unknownFields?: UnknownField[];
}

interface UnknownField {
  /** Its path, such as `viewport.widht`. May be any text. */
  place: string;
  /** The known field that was probably meant. */
  nearest?: string;
}

const MAX_FIELDS = 20;
const MAX_DEPTH = 8;
const MAX_NAME_LENGTH = 64;
const MAX_PLACE_LENGTH = 128;
/** Clients refuse responses with long headers. */
const MAX_HEADER_LENGTH = 2000;
const MAX_DISTANCE = 2;

/** Leaving out a field of keys, limits, budgets, webhooks or destinations gives more access or events. */
const REFUSES_ALL = /^(POST|PATCH|PUT) \/(org|admin)\//;

const CONFIGURES_BROWSERS = /^(POST|PATCH) \/(browsers|browser_pools)(\/:id_or_name(\/acquire)?)?$/;

/** Fields of newer Kernel clients that restrict a session or route its traffic. */
const REFUSED = new Map([
  ["network", "is not supported: the service cannot restrict a session's network; leave it out"],
  ["vaults", "is not supported; leave it out, and use a profile or a handoff to sign in"],
  ["memory", "is not supported: all browsers have the same size; leave it out"],
  ["proxy", "is not supported; give the proxy's id in proxy_id"],
]);

/**
 * Collects the fields of a query or body that its schema does not have, for the response, the log and the
 * session's events.
 *
 * @param route such as `POST /browsers`
 * @throws ServiceError 400 where ignoring a field would give more than the caller asked for.
 */
export function noteUnknownFields(
  c: Context,
  route: string,
  schema: z.ZodType | undefined,
  body: unknown,
): void {
  const found = schema === undefined ? [] : findUnknownFields(schema, body);
  if (found.length === 0) return;
  const problems = [];
  if (REFUSES_ALL.test(route)) {
    for (const { place, nearest } of found)
      problems.push({ field: encode(place), message: unknown(nearest) });
  } else if (CONFIGURES_BROWSERS.test(route) && typeof body === "object") {
    for (const [field, value] of Object.entries(body ?? {})) {
      const message = REFUSED.get(field);
      if (message !== undefined && value != null) problems.push({ field, message });
    }
  }
  if (problems.length > 0) throw badRequest(...problems);
  const { unknownFields = [] }: UnknownFieldsVariables = c.var;
  c.set("unknownFields", [...unknownFields, ...found]);
}

function unknown(nearest: string | undefined): string {
  return nearest === undefined ? "is not a known field" : `is not a known field; did you mean ${nearest}?`;
}

/** The value of `x-unknown-fields`. */
export function presentUnknownFields(fields: readonly UnknownField[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const place of fields.map((field) => encode(field.place))) {
    length += place.length + 2;
    if (length <= MAX_HEADER_LENGTH) shown.push(place);
  }
  return shown.join(", ");
}

/** A human-readable description. */
export function describeUnknownFields(fields: readonly UnknownField[]): string[] {
  return fields.map(({ place, nearest }) =>
    nearest === undefined ? encode(place) : `${encode(place)} (did you mean ${nearest}?)`,
  );
}

/** At most 20, in the order of the body. */
export function findUnknownFields(schema: z.core.$ZodType, body: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  walk([schema], body, "", 0, found);
  return found;
}

/** @param schemas alternatives for the value. */
function walk(
  schemas: readonly z.core.$ZodType[],
  value: unknown,
  place: string,
  depth: number,
  found: UnknownField[],
): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  const kinds = schemas.flatMap(unwrap);
  if (Array.isArray(value)) {
    const elements = kinds.flatMap((kind) => (kind instanceof z.ZodArray ? [kind.element] : []));
    for (const item of elements.length === 0 ? [] : value) {
      if (found.length >= MAX_FIELDS) return;
      walk(elements, item, place, depth + 1, found);
    }
    return;
  }
  const objects = kinds.filter((kind) => kind instanceof z.ZodObject);
  // Records and objects with additional fields accept all names.
  if (objects.length < kinds.length || objects.some(({ def }) => def.catchall !== undefined)) return;
  const known = new Map<string, z.core.$ZodType[]>();
  for (const [name, field] of objects.flatMap(({ shape }) => Object.entries(shape))) {
    known.set(name, [...(known.get(name) ?? []), field]);
  }
  for (const [name, item] of Object.entries(value)) {
    if (found.length >= MAX_FIELDS) return;
    const fields = known.get(name);
    const path = place + name.slice(0, MAX_NAME_LENGTH);
    if (fields === undefined) found.push({ place: path, nearest: findNearest(name, known.keys()) });
    else walk(fields, item, `${path}.`, depth + 1, found);
  }
}

/** The schemas inside optional, transformed and alternative ones. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrap(schema.unwrap());
  }
  const isValue =
    schema instanceof z.ZodLiteral || schema instanceof z.ZodString || schema instanceof z.ZodNull;
  return isValue ? [] : [schema];
}

function findNearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const distances = Array.from(known, (each) => ({ each, distance: distanceOf(name, each) }));
  const [nearest] = distances.toSorted((left, right) => left.distance - right.distance);
  if (nearest === undefined || nearest.distance > Math.min(MAX_DISTANCE, name.length / 3)) return undefined;
  return nearest.each;
}

/** How many characters to insert, delete or replace. */
function distanceOf(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, character] of [...left].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === right[column - 1] ? 0 : 1);
      next.push(Math.min((row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Encodes any text as an item of a header's list. */
function encode(place: string): string {
  return encodeURIComponent(place.slice(0, MAX_PLACE_LENGTH).toWellFormed());
}
