import { expect, it } from "vitest";
import { parseUploadField } from "../../../src/api/files/upload-form.ts";

it.each([
  ["files[0][file]", "0", "file"],
  ["files[0][dest_path]", "0", "dest_path"],
  ["files[12].file", "12", "file"],
  ["files[12].dest_path", "12", "dest_path"],
  ["files.3.file", "3", "file"],
  ["files.3.dest_path", "3", "dest_path"],
  ["file", "", "file"],
  ["dest_path", "", "dest_path"],
] as const)("parseUploadField reads %s as item %j, property %s", (name, item, property) => {
  expect(parseUploadField(name)).toEqual({ item, property });
});

it.each([
  "",
  "files",
  "files[0]",
  "files[][file]",
  "files[a][file]",
  "files[0][file",
  "files[0]file]",
  "files[0].file]",
  "files[0][name]",
  "files[0][file][x]",
  "file]",
  "files[0][file]\n",
  "xfiles[0][file]",
])("parseUploadField rejects %j", (name) => {
  expect(parseUploadField(name)).toBeUndefined();
});
