import type { OpenAPIDocument, Operation, SchemaObject } from "./openapi.ts";
import { exampleOf, type Field, fieldsOf, typeOf } from "./schema-fields.ts";
import { sdkSamples } from "./sdk-samples.ts";

/** Responses that the overview describes for all operations. */
const FIRST_ERROR_STATUS = 400;

const MAX_INNER_FIELDS = 8;

type Schemas = OpenAPIDocument["components"]["schemas"];

interface Endpoint extends Operation {
  method: string;
  path: string;
}

interface Page {
  /** File name without extension. */
  name: string;
  markdown: string;
}

interface Tag {
  name: string;
  title: string;
  description: string;
  endpoints: readonly Endpoint[];
}

/** The pages of the API reference: an overview and a page per tag. @param sdkMethods see `readSDKMethods`. */
export function apiPages(
  { info, tags, paths, components: { schemas } }: OpenAPIDocument,
  sdkMethods: ReadonlyMap<string, string>,
): Page[] {
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): Endpoint => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const pages = tags.map(({ name: title, description }): Tag => {
    const ofTag = endpoints.filter(({ tags: [tag] }) => tag === title);
    return { name: title.toLowerCase().replaceAll(" ", "-"), title, description, endpoints: ofTag };
  });
  return [
    { name: "index", markdown: overview(info.description, pages, schemas) },
    ...pages.map((page) => ({ name: page.name, markdown: tagPage(page, schemas, sdkMethods) })),
  ];
}

function overview(description: string, pages: readonly Tag[], { Error: error = {} }: Schemas): string {
  const errors = pages.flatMap(({ endpoints }) => endpoints.flatMap(errorsOf));
  const meanings = errors.map(([status, response]) => [`\`${status}\``, text(response.description)]);
  return join(
    `# API reference`,
    text(description),
    `Send the API key as \`Authorization: Bearer …\`. The reference is made from <a href="/openapi.json" target="_self">/openapi.json</a>,
from which you can also generate clients. **Try it** under an operation calls this service with your key, which
this tab keeps until it is closed.`,
    `## Operations`,
    ...pages.flatMap(({ name, title, endpoints }) => [
      `### [${title}](./${name}.md)`,
      table(
        ["Operation", "Route"],
        endpoints.map(({ method, path, summary, operationId }) => [
          `[${text(summary)}](./${name}.md#${operationId})`,
          `\`${method} ${path}\``,
        ]),
      ),
    ]),
    `## Errors`,
    text(error.description ?? ""),
    fieldTable(fieldsOf(error)),
    json(exampleOf(error)),
    `Every operation can respond with these statuses. \`x-should-retry\` says whether to repeat the unchanged call, and
\`Retry-After\` when.`,
    table(["Status", "Meaning"], Object.entries(Object.fromEntries(meanings.sort()))),
  );
}

const isError = ([status]: readonly [string, unknown]) => Number(status) >= FIRST_ERROR_STATUS;

const errorsOf = ({ responses }: Operation) => Object.entries(responses).filter(isError);

const successesOf = ({ responses }: Operation) =>
  Object.entries(responses).filter((response) => !isError(response));

function tagPage(
  { title, description, endpoints }: Tag,
  schemas: Schemas,
  sdkMethods: ReadonlyMap<string, string>,
): string {
  const objects = new Set(endpoints.flatMap(responseObjects));
  return join(
    `---\ndescription: ${JSON.stringify(description)}\n---`,
    `# ${title}`,
    text(description),
    ...endpoints.map((endpoint) => endpointSection(endpoint, sdkMethods)),
    ...[...objects].sort().map((name) => objectSection(name, schemas[name] ?? {})),
  );
}

function endpointSection(endpoint: Endpoint, sdkMethods: ReadonlyMap<string, string>): string {
  const { method, path, operationId, summary, description = "", deprecated, parameters } = endpoint;
  const parametersIn = (place: string, title: string) => {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required = false, schema }) => ({ name, isRequired: required, schema }));
    return fields.length === 0 ? [] : [`**${title}**`, fieldTable(fields)];
  };
  return join(
    `## ${text(summary)} {#${operationId}}`,
    `<div class="endpoint"><span class="method">${method}</span> <code>${escapeHTML(path)}</code></div>`,
    ...(deprecated ? ["::: warning Deprecated\n:::"] : []),
    text(description),
    ...parametersIn("path", "Path"),
    ...parametersIn("query", "Query"),
    ...parametersIn("header", "Headers"),
    ...bodySection(endpoint),
    "**Responses**",
    table(["Status", "Body"], responseRows(endpoint)),
    ...examples(endpoint, sdkMethods),
  );
}

function bodySection({ requestBody }: Operation): string[] {
  if (requestBody === undefined) return [];
  const [[type, { schema = {} }] = ["", {}]] = Object.entries(requestBody.content);
  const fields = fieldsOf(schema);
  return [
    `**Body**, \`${type}\`${requestBody.required === false ? ", optional" : ""}`,
    text(schema.description ?? ""),
    ...(fields.length === 0 ? [] : [fieldTable(fields)]),
  ];
}

function responseRows(operation: Operation): string[][] {
  const rows = successesOf(operation).map(([status, { description, content = {} }]) => {
    const bodies = Object.entries(content).map(([type, { schema }]) => bodyType(type, schema));
    return [`\`${status}\``, [text(description), ...bodies].join(" ")];
  });
  const errors = errorsOf(operation).map(([status]) => `\`${status}\``);
  return [...rows, [errors.join(" "), "[Error](./index.md#errors)"]];
}

function bodyType(type: string, schema: SchemaObject | undefined): string {
  const isJSON = type === "application/json";
  const name = objectName(schema);
  if (schema === undefined || name === undefined) return isJSON && schema ? typeOf(schema) : `\`${type}\``;
  const link = `[${name}](#${objectAnchor(name)})`;
  const shown = schema.items === undefined ? link : `List of ${link}.`;
  return isJSON ? shown : `${shown} as \`${type}\``;
}

/** The name of a schema, or of the items of a list. */
const objectName = (schema: SchemaObject | undefined) => schema?.name ?? schema?.items?.name;

function responseObjects(operation: Operation): string[] {
  return successesOf(operation)
    .flatMap(([, { content = {} }]) => Object.values(content))
    .flatMap(({ schema }) => objectName(schema) ?? []);
}

function objectSection(name: string, schema: SchemaObject): string {
  return join(
    `## ${name} {#${objectAnchor(name)}}`,
    text(schema.description ?? ""),
    "::::: details Fields and an example",
    fieldTable(fieldsOf(schema)),
    json(exampleOf(schema)),
    ":::::",
  );
}

/** The operation with the SDKs and as a form, unless its body is a file. */
function examples(endpoint: Endpoint, sdkMethods: ReadonlyMap<string, string>): string[] {
  const { method, path, requestBody, parameters, security = [] } = endpoint;
  const schema = requestBody?.content["application/json"]?.schema;
  if (requestBody !== undefined && schema === undefined) return [];
  const body = schema && { body: exampleOf(schema) };
  const isOperatorCall = security.some((scheme) => "operatorToken" in scheme);
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const request = {
    method,
    path,
    credential: isOperatorCall ? "ADMIN_TOKEN" : "API key",
    query: inQuery.map(({ name, schema }) => ({ name, choices: choicesOf(schema) })),
    ...(body && { body: JSON.stringify(body.body, null, 2) }),
  };
  const required = inQuery.filter((parameter) => parameter.required);
  const query = Object.fromEntries(required.map(({ name, schema }) => [name, exampleOf(schema)]));
  return [
    // The SDKs do not send the operator's token.
    endpoint.deprecated || isOperatorCall ? "" : sdkSamples({ method, path, query, ...body }, sdkMethods),
    `<TryIt :request="${escapeHTML(JSON.stringify(request))}" />`,
  ];
}

/** The values to choose from, if a parameter takes no others. */
function choicesOf({ type, enum: values }: SchemaObject): string[] {
  return values?.map(String) ?? (type === "boolean" ? ["true", "false"] : []);
}

/** Many fields within others are collapsed. */
function fieldTable(fields: readonly Field[]): string {
  const isInner = ({ name }: Field) => /[.[]/.test(name);
  const inner = fields.filter(isInner);
  if (inner.length <= MAX_INNER_FIELDS) return fieldRows(fields);
  const outer = fieldRows(fields.filter((field) => !isInner(field)));
  return join(outer, ":::: details Fields within these", fieldRows(inner), "::::");
}

function fieldRows(fields: readonly Field[]): string {
  return table(
    ["Name", "Type", "Description"],
    fields.map(({ name, isRequired, schema }) => [
      `\`${name}\`${isRequired ? " *required*" : ""}`,
      typeOf(schema),
      [text(schema.description ?? ""), ...constraints(schema)].filter(Boolean).join(" "),
    ]),
  );
}

function constraints(schema: SchemaObject): string[] {
  const { enum: values, minimum, maximum, deprecated } = schema;
  const code = (value: unknown) => `\`${JSON.stringify(value)}\``;
  const hasDefault = schema.default !== undefined && JSON.stringify(schema.default) !== "{}";
  return [
    deprecated ? "Deprecated." : "",
    values === undefined ? "" : `One of ${values.map(code).join(", ")}.`,
    minimum === undefined && maximum === undefined ? "" : `${range(minimum, maximum)}.`,
    hasDefault ? `Default: ${code(schema.default)}.` : "",
  ];
}

export function range(minimum: number | undefined, maximum: number | undefined): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (isOpen) return `At least ${minimum ?? 0}`;
  return minimum === undefined ? `At most ${maximum}` : `${minimum} to ${maximum}`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (value: string) => value.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function join(...parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

const objectAnchor = (name: string) => `object-${name}`;

/** Text in which Markdown marks work but HTML and Vue templates do not. */
function text(value: string): string {
  return value
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;{")))
    .join("");
}

function escapeHTML(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
