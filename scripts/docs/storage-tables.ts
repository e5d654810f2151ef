import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { is, SQL } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteSyncDialect, SQLiteTable } from "drizzle-orm/sqlite-core";
import { ROOT } from "../local/paths.ts";
import { table } from "./api-pages.ts";

const SCHEMA = join(ROOT, "src", "lib", "database", "schema");

const COMMENT = String.raw`\/\*\*((?:(?!\*\/)[^])*)\*\/\s+`;
const DECLARATION = new RegExp(`(?:${COMMENT})?export const \\w+ = sqliteTable\\(\\s*"(\\w+)"`, "g");
const COLUMN = new RegExp(`${COMMENT}\\w+: \\w+\\("(\\w+)"`, "g");

/** A section for each table of D1, made from the Drizzle schema and its doc comments. */
export async function storageTables(): Promise<string> {
  const options = readFileSync(join(SCHEMA, "session-options.ts"), "utf8");
  const sections: string[] = [];
  for (const name of globSync("*.ts", { cwd: SCHEMA }).sort()) {
    const file = join(SCHEMA, name);
    const exported: Record<string, unknown> = await import(pathToFileURL(file).href);
    const source = readFileSync(file, "utf8");
    const declarations = [...source.matchAll(DECLARATION)];
    for (const [index, { 0: head, 1: comment = "", 2: tableName, index: start }] of declarations.entries()) {
      const declared = Object.values(exported).find(
        (value): value is SQLiteTable => is(value, SQLiteTable) && getTableConfig(value).name === tableName,
      );
      if (declared === undefined) throw new Error(`${name} does not export the table ${tableName}`);
      const body = source.slice(start + head.length, declarations[index + 1]?.index);
      sections.push(section(declared, oneLine(comment), meanings(`${options}${body}`)));
    }
  }
  return sections.join("\n\n");
}

function section(declared: SQLiteTable, comment: string, meaningOf: Map<string, string>): string {
  const { name, columns, indexes, primaryKeys } = getTableConfig(declared);
  const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
  const columnRows = columns.map((column) => [
    code(column.name),
    typeOf(column, column.primary || keys.includes(column.name)),
    meaningOf.get(column.name) ?? "",
  ]);
  const indexRows = indexes.map(({ config }) => [
    `${code(config.name)}${config.unique ? ", unique" : ""}`,
    config.columns.map((column) => code(is(column, SQL) ? sqlText(column) : column.name)).join(", "),
    config.where ? code(sqlText(config.where)) : "all",
  ]);
  return [
    `### ${code(name)}`,
    comment,
    table(["Column", "Type", "Meaning"], columnRows),
    indexRows.length > 0 ? table(["Index", "Columns", "Rows"], indexRows) : "",
  ].join("\n\n");
}

function typeOf({ dataType, enumValues, notNull, isUnique }: SQLiteColumn, isKey: boolean): string {
  const type = enumValues?.length ? enumValues.map(code).join(", ") : dataType.replace("json", "JSON");
  return [`${type}${notNull || isKey ? "" : " or null"}`, isKey && "primary key", isUnique && "unique"]
    .filter(Boolean)
    .join(", ");
}

function meanings(source: string): Map<string, string> {
  const comments = [...source.matchAll(COLUMN)];
  return new Map(comments.map(([, comment = "", column = ""]) => [column, oneLine(comment)]));
}

const oneLine = (comment: string) => comment.replace(/\s*\n\s*\*?\s*/g, " ").trim();

const sqlText = (sql: SQL) => new SQLiteSyncDialect().sqlToQuery(sql).sql.replace(/"\w+"\."(\w+)"/g, "$1");

const code = (text: string) => `\`${text}\``;
